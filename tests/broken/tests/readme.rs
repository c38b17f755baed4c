//! The list in the README says what the table says.

#[test]
fn the_list_is_that_of_the_table() {
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once("<!-- heapmark:begin -->\n").expect("the list begins");
    let (list, _) = rest.split_once("<!-- heapmark:end -->").expect("the list ends");
    let table = heapmark_broken::markdown();
    assert!(
        list == table,
        "the README lacks what `cargo run -p heapmark-worker-broken --example faults` prints:\n{table}"
    );
}
