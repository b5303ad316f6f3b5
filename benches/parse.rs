//! How fast text becomes a tree.

use benches::{SIZES, bicep};
use bicep_syntax::{Dialect, parse};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    for (name, bytes) in SIZES {
        let text: Arc<str> = bicep(bytes).into();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |bencher, text| {
            bencher.iter(|| parse(Arc::clone(black_box(text)), Dialect::Bicep));
        });
    }
    group.finish();
}

criterion_group!(benches, parsing);
criterion_main!(benches);
