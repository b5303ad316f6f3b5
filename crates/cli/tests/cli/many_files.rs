//! A folder of ten thousand files of all kinds: every template in it is analysed, everything else is passed over, and what
//! is broken is told by name.

use std::fmt::Write as _;
use std::path::Path;

use crate::program::{self, Called, call};

const FILES: usize = 10_000;

#[test]
fn ten_thousand_mixed_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = (0, 0);
    for number in 0..FILES {
        let (name, text) = file(number);
        let path = folder.path().join(format!("part{}", number % 10)).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        expected.0 += usize::from(number % 10 == 0);
        expected.1 += usize::from(number % 10 == 3);
    }
    let (code, output, errors) = analyze(folder.path(), &[]);
    assert_eq!(code, 1, "{errors}");
    assert_eq!(output.matches("TA-000022").count(), expected.0, "one for each open cache");
    assert_eq!(output.matches("\"JSON008\"").count(), expected.1, "one for each broken template");
    assert_eq!(output.lines().count(), expected.0 + expected.1);
    assert_eq!(errors.lines().count(), FILES / 10, "one for each file that is not text: {errors}");
    let (_, alone, _) = analyze(folder.path(), &[("RAYON_NUM_THREADS", "1")]);
    assert!(alone == output, "one thread says the same");
}

/// Files of a large folder are compiled some at a time, but they are analysed as if all were compiled at once: a parameter
/// file stands for its template, and a comment is of use if it is so for one of the files that use its module.
#[test]
fn what_belongs_together_may_lie_far_apart() {
    let cache = |default: &str, comment: &str| {
        format!(
            "param open bool{default}\n\nresource cache 'Microsoft.Cache/redis@2023-08-01' = {{\n  name: 'cache'\n  \
             properties: {{\n    enableNonSslPort: open{comment}\n  }}\n}}\n"
        )
    };
    let caller = |open: bool| {
        format!("module cache '../m/shared.bicep' = {{\n  params: {{\n    open: {open}\n  }}\n}}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("a/main.bicep", &cache("", ""));
    write("a/first.bicep", &caller(true));
    for number in 0..600 {
        write(&format!("f/file{number:03}.bicep"), "output one int = 1\n");
    }
    write("m/shared.bicep", &cache(" = false", " // sinew-ignore TA-000022: inside only"));
    write("z/last.bicep", &caller(false));
    write("z/main.bicepparam", "using '../a/main.bicep'\n\nparam open = true\n");
    let (code, output, errors) = analyze(folder.path(), &[]);
    assert_eq!(code, 1, "{errors}");
    let found: Vec<&str> = output.lines().filter(|line| !line.contains("no-resource-types")).collect();
    assert_eq!(found.len(), 1, "one open cache, nothing undetermined and no comment without use: {output}");
    assert!(found[0].contains("TA-000022") && found[0].contains("a/main.bicep"), "{output}");
}

/// One of ten kinds: an open cache, a closed one, other JSON, a broken template, broken JSON, parameters, bytes that are
/// no text, another kind of file, a hidden file, a Bicep file.
fn file(number: usize) -> (String, Vec<u8>) {
    let template = |open: bool| {
        format!(
            r#"{{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
              "contentVersion": "1.0.0.0",
              "resources": [{{ "type": "Microsoft.Cache/redis", "apiVersion": "2023-08-01", "name": "cache{number}",
                "properties": {{ "enableNonSslPort": "[equals({}, 1)]" }} }}] }}"#,
            u8::from(open)
        )
    };
    let (end, text) = match number % 10 {
        0 => (".json", template(true)),
        1 => (".json", template(false)),
        2 => (".json", r#"{ "resources": [] }"#.to_owned()),
        3 => (".json", template(true).trim_end_matches('}').to_owned()),
        4 => (".json", "[1, 2".to_owned()),
        5 => (".parameters.json", r#"{ "parameters": {} }"#.to_owned()),
        6 => return (format!("file{number}.json"), vec![0xff, 0xfe, 0x00, 0xc3, 0x28]),
        7 => (".txt", "text".to_owned()),
        8 => return (format!(".hidden{number}.json"), template(true).into_bytes()),
        _ => (".bicep", "output one int = 1\n".to_owned()),
    };
    (format!("file{number}{end}"), text.into_bytes())
}

fn analyze(folder: &Path, variables: &[(&str, &str)]) -> Called {
    let arguments = ["analyze", ".", "--diagnostics-format", "json"];
    let (code, output, mut errors) =
        call(program::command(folder).args(arguments).envs(variables.iter().copied()));
    // Kept short for the messages of failed assertions.
    if errors.len() > 200_000 {
        errors.truncate(200_000);
        writeln!(errors, "…").unwrap();
    }
    (code, output, errors)
}
