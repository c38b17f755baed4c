//! Says twice what its requests came to.
use heapmark_protocol::Latency;
use heapmark_tests::Answers;
use heapmark_tests::heapmark_worker::Requests;

heapmark_tests::hold_lifeline!();

fn main() {
    let latency = Latency::from(Requests::default());
    Answers { latency: vec![latency.clone(), latency], ..Answers::PLAIN }.give();
}
