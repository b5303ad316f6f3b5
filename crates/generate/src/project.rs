//! A small project to start with: the files that `sinew init` writes, among them the declarations that give editors
//! the types of the standard library.

/// A file of a new project: its path and its text.
pub type ProjectFile = (&'static str, &'static str);

/// The files of a new project. None of them is needed to run scripts; all of them help to write them.
pub fn files() -> Vec<ProjectFile> {
    vec![
        ("config.ts", include_str!("project/config.ts")),
        ("tsconfig.json", include_str!("project/tsconfig.json")),
        ("types/sinew-std.d.ts", DECLARATIONS),
        ("types/sinew-node.d.ts", include_str!("project/sinew-node.d.ts")),
    ]
}

/// The types of the standard library, for both of its names.
pub const DECLARATIONS: &str = include_str!("project/sinew-std.d.ts");

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::{GenerateOptions, MemoryHost, Script, Settings};

    #[test]
    fn the_new_project_generates_something_good() {
        let host = files()
            .into_iter()
            .fold(MemoryHost::new(), |host, (path, text)| host.with_file(format!("/p/{path}"), text));
        let script = Script::Module("./config.ts".to_owned());
        let outcome =
            crate::generate(Rc::new(host), Settings::in_folder("/p"), &script, &GenerateOptions::default());
        assert_eq!(outcome.error_lines(), [] as [String; 0]);
        assert_eq!(
            outcome.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
            ["deployment.yaml", "service.yaml"]
        );
    }

    #[test]
    fn everything_public_is_declared() {
        for module in ["", "/param", "/fs", "/merge", "/schema", "/debug", "/generate", "/resource"] {
            for name in ["@jkcfg/std", "sinew:std"] {
                let declaration = format!("declare module '{name}{module}' {{");
                assert!(DECLARATIONS.contains(&declaration), "{declaration}");
            }
        }
        let exports = |source: &'static str| {
            source.lines().filter_map(|line| {
                let rest = line.strip_prefix("export ")?;
                let rest = ["function* ", "function ", "class ", "const ", "async function "]
                    .iter()
                    .find_map(|word| rest.strip_prefix(word))?;
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
            })
        };
        for module in ["index", "param", "fs", "merge", "schema", "debug", "generate"] {
            let source = crate::std_modules::find(module).map_or("", |module| module.source);
            for name in exports(source) {
                let declared = ["function ", "const ", "class "]
                    .iter()
                    .any(|word| DECLARATIONS.contains(&format!("export {word}{name}")));
                assert!(declared, "{name} of {module} is not declared");
            }
        }
    }
}
