//! The modules of the standard library: JavaScript that is compiled into the program.

/// A module of the standard library.
#[derive(Debug, Clone, Copy)]
pub struct StdModule {
    /// Its name behind `@jkcfg/std/` or `sinew:std/`.
    pub name: &'static str,
    /// Its text.
    pub source: &'static str,
    /// Whether scripts may import it.
    pub is_public: bool,
}

/// The module of this name.
pub fn find(name: &str) -> Option<&'static StdModule> {
    MODULES.iter().find(|module| module.name == name)
}

const fn public(name: &'static str, source: &'static str) -> StdModule {
    StdModule { name, source, is_public: true }
}

const fn internal(name: &'static str, source: &'static str) -> StdModule {
    StdModule { name, source, is_public: false }
}

const MODULES: &[StdModule] = &[
    public("index", include_str!("std/index.js")),
    public("param", include_str!("std/param.js")),
    public("fs", include_str!("std/fs.js")),
    public("merge", include_str!("std/merge.js")),
    public("schema", include_str!("std/schema.js")),
    public("debug", include_str!("std/debug.js")),
    public("generate", include_str!("std/generate.js")),
    internal("internal/host", include_str!("std/internal/host.js")),
    internal("internal/files", include_str!("std/internal/files.js")),
    internal("internal/validation", include_str!("std/internal/validation.js")),
    internal("internal/commands", include_str!("std/internal/commands.js")),
];
