//! How fast a tree becomes formatted text.

use benches::{SIZES, bicep};
use bicep_format::{Options, format};
use bicep_syntax::{Dialect, parse};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn formatting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("format");
    group.sample_size(10);
    for (name, bytes) in SIZES {
        let parsed = parse(bicep(bytes), Dialect::Bicep);
        group.throughput(Throughput::Bytes(parsed.tree.text().len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &parsed, |bencher, parsed| {
            bencher.iter(|| format(black_box(parsed), &Options::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, formatting);
criterion_main!(benches);
