/* Replaces nothing. */
int heapmark_tests_replace_nothing(void) { return 0; }
