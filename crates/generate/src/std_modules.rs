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

/// The module of the standard library that stands for a module of Node.
pub fn node(name: &str) -> Option<&'static str> {
    let name = match name {
        "path/posix" | "path/win32" => "path",
        "assert/strict" => "assert_strict",
        "util/types" => "util_types",
        "sys" => "util",
        name => name,
    };
    let file = name.replace('/', "_");
    MODULES.iter().map(|module| module.name).find(|known| known.strip_prefix("node/") == Some(file.as_str()))
}

/// Modules of Node that can be imported, but say that they cannot be used.
pub const NODE_UNAVAILABLE: &[&str] = &[
    "async_hooks",
    "child_process",
    "cluster",
    "console",
    "constants",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "http",
    "http2",
    "https",
    "inspector",
    "net",
    "perf_hooks",
    "punycode",
    "readline",
    "readline/promises",
    "repl",
    "stream",
    "stream/promises",
    "stream/web",
    "tls",
    "tty",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// The names that modules of Node export which cannot be used, for imports that name them.
pub const UNAVAILABLE_EXPORTS: &[(&str, &[&str])] = &[
    ("async_hooks", &["AsyncLocalStorage", "AsyncResource"]),
    ("child_process", &["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]),
    ("dns", &["lookup", "promises", "resolve"]),
    ("http", &["Agent", "STATUS_CODES", "createServer", "get", "request"]),
    ("https", &["Agent", "createServer", "get", "request"]),
    ("net", &["Socket", "connect", "createConnection", "createServer", "isIP", "isIPv4", "isIPv6"]),
    ("perf_hooks", &["performance", "PerformanceObserver"]),
    ("readline", &["createInterface", "promises"]),
    (
        "stream",
        &["Duplex", "PassThrough", "Readable", "Transform", "Writable", "finished", "pipeline", "promises"],
    ),
    ("tty", &["isatty"]),
    ("vm", &["Script", "createContext", "runInContext", "runInNewContext"]),
    ("worker_threads", &["Worker", "isMainThread", "parentPort", "workerData"]),
    ("zlib", &["deflateSync", "gunzipSync", "gzip", "gzipSync", "inflateSync"]),
];

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
    internal("internal/clone", include_str!("std/internal/clone.js")),
    internal("internal/commonjs", include_str!("std/internal/commonjs.js")),
    internal("internal/equal", include_str!("std/internal/equal.js")),
    internal("internal/console", include_str!("std/internal/console.js")),
    internal("internal/inspect", include_str!("std/internal/inspect.js")),
    internal("internal/process", include_str!("std/internal/process.js")),
    internal("internal/text", include_str!("std/internal/text.js")),
    internal("internal/timers", include_str!("std/internal/timers.js")),
    internal("internal/unavailable", include_str!("std/internal/unavailable.js")),
    internal("internal/url", include_str!("std/internal/url.js")),
    internal("node/assert", include_str!("std/node/assert.js")),
    internal("node/assert_strict", include_str!("std/node/assert_strict.js")),
    internal("node/buffer", include_str!("std/node/buffer.js")),
    internal("node/crypto", include_str!("std/node/crypto.js")),
    internal("node/events", include_str!("std/node/events.js")),
    internal("node/fs", include_str!("std/node/fs.js")),
    internal("node/fs_promises", include_str!("std/node/fs_promises.js")),
    internal("node/module", include_str!("std/node/module.js")),
    internal("node/os", include_str!("std/node/os.js")),
    internal("node/path", include_str!("std/node/path.js")),
    internal("node/process", include_str!("std/node/process.js")),
    internal("node/querystring", include_str!("std/node/querystring.js")),
    internal("node/string_decoder", include_str!("std/node/string_decoder.js")),
    internal("node/timers", include_str!("std/node/timers.js")),
    internal("node/timers_promises", include_str!("std/node/timers_promises.js")),
    internal("node/url", include_str!("std/node/url.js")),
    internal("node/util", include_str!("std/node/util.js")),
    internal("node/util_types", include_str!("std/node/util_types.js")),
    internal("helpers/decorate", include_str!("std/helpers/decorate.js")),
    internal("helpers/decorators", include_str!("std/helpers/decorators.js")),
    internal("helpers/decorateMetadata", include_str!("std/helpers/decorateMetadata.js")),
    internal("helpers/decorateParam", include_str!("std/helpers/decorateParam.js")),
];
