//! No secret comes out. Secrets and external inputs of many kinds go through the commands and the server; nothing that
//! these print, log, answer or keep has one in it. What is said to be an exception in the documentation is not tried: a
//! literal in a file is source text, which the compiler may quote and a page may show.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test prepares folders, starts programs and asks a server"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tests::program::finish;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");

/// The secret. It is looked for in any letter case.
const SECRET: &str = "hunter2-Xyzzy";

/// A way in which a secret gets into a template: the template, the parameter file, and what the command line gives.
struct Kind {
    name: &'static str,
    template: &'static str,
    parameters: &'static str,
    arguments: &'static [&'static str],
}

/// Parameters that are secrets by their types.
const SECURE: &[(&str, &str, &str)] = &[
    (
        "a secure text in a secure output",
        "@secure()\nparam p string\n@secure()\noutput o string = p",
        "'SECRET'",
    ),
    (
        "a secure text inside of another",
        "@secure()\nparam p string\n@secure()\noutput o string = 'a${p}b'",
        "'SECRET'",
    ),
    (
        "a secure object",
        "@secure()\nparam p object\n@secure()\noutput o object = p",
        "{ a: { b: 'SECRET' } }",
    ),
    (
        "a secure text that is too long",
        "@secure()\n@maxLength(3)\nparam p string\noutput o int = length(p)",
        "readEnvironmentVariable('SECRET_INPUT')",
    ),
    (
        "a secure text that is not allowed",
        "@secure()\n@allowed(['a', 'b'])\nparam p string\noutput o int = length(p)",
        "readEnvironmentVariable('SECRET_INPUT')",
    ),
    (
        "a part of a secure text that is not allowed",
        "@secure()\n@allowed(['a', 'b'])\nparam p string\noutput o int = length(p)",
        "'a-${readEnvironmentVariable('SECRET_INPUT')}'",
    ),
    (
        "a text of the environment of the wrong kind",
        "@secure()\nparam p object\noutput o object = p",
        "readEnvironmentVariable('SECRET_INPUT')",
    ),
    // From here on no type says which texts fit, so that the compiler quotes none.
    (
        "a validator that quotes the value",
        "func v(x string) object => { kind: 'failure', errorMessage: 'not ${x}' }\n@secure()\n@v()\nparam p string\noutput o int = length(p)",
        "'SECRET'",
    ),
    (
        "a validator that cannot be evaluated",
        "func v(x string) object => int(x) > 1 ? { kind: 'success' } : { kind: 'failure', errorMessage: x }\n@secure()\n@v()\nparam p string\noutput o int = length(p)",
        "'SECRET'",
    ),
    ("a secure text that is no number", "@secure()\nparam p string\noutput o int = int(p)", "'SECRET'"),
    ("a secure text that is no JSON", "@secure()\nparam p string\noutput o object = json(p)", "'SECRET'"),
    (
        "a secure text as the name of a property",
        "@secure()\nparam p string\noutput o object = { a: 1 }[p]",
        "'SECRET'",
    ),
    ("a message of fail()", "@secure()\nparam p string\noutput o string = fail('no ${p}')", "'SECRET'"),
    (
        "a secure text in base 64",
        "@secure()\nparam p string\n@secure()\noutput o string = base64ToString(base64(p))",
        "'SECRET'",
    ),
    (
        "a secure text in small letters",
        "@secure()\nparam p string\noutput o int = int(toLower(p))",
        "'SECRET'",
    ),
    (
        "a secure property of a plain object",
        "param p {\n  @secure()\n  s: string\n}\noutput o int = int(p.s)",
        "{ s: 'SECRET' }",
    ),
    (
        "a secure item of a list",
        "@secure()\ntype t = string\nparam p t[]\noutput o int = int(p[0])",
        "['SECRET']",
    ),
    (
        "an argument of a function",
        "@maxLength(3)\ntype t = string\nfunc f(x t) string => x\n@secure()\nparam p string\noutput o int = length(f(p))",
        "'SECRET'",
    ),
    (
        "the result of a function",
        "@maxLength(3)\ntype t = string\nfunc f(x string) t => 'a${x}'\n@secure()\nparam p string\noutput o int = length(f(p))",
        "'SECRET'",
    ),
    (
        "a secure parameter of a module",
        "@secure()\nparam p string\nmodule m 'module.bicep' = {\n  name: 'm'\n  params: { secret: p }\n}",
        "'SECRET'",
    ),
    (
        "a plain parameter of a module",
        "@secure()\nparam p string\nmodule m 'module.bicep' = {\n  name: 'm'\n  params: { secret: 'x', plain: 'a${p}' }\n}",
        "'SECRET'",
    ),
    (
        "a property of a resource",
        "@secure()\nparam p string\nresource r 'Test.Things/things@2024-01-01' = {\n  name: 'r'\n  properties: { password: p, size: 1 }\n}\noutput o int = r.properties.size",
        "'SECRET'",
    ),
    (
        "a property of a resource that is read back",
        "@secure()\nparam p string\nresource r 'Test.Things/things@2024-01-01' = {\n  name: 'r'\n  properties: { password: p }\n}\noutput o int = int(r.properties.password)",
        "'SECRET'",
    ),
];

/// What external inputs give. All of these fail: an input that is let through may be a name that everybody sees.
const INPUTS: &[(&str, &str, &str)] = &[
    ("an input of the wrong type", "param p int\noutput o int = p", "externalInput('sys.cliArgument', 'in')"),
    (
        "an input that is too long",
        "@maxLength(3)\nparam p string\noutput o string = p",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input that is not allowed",
        "@allowed(['a'])\nparam p string\noutput o string = p",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input that a validator quotes",
        "func v(x string) object => { kind: 'failure', errorMessage: 'not ${x}' }\n@v()\nparam p string\noutput o string = p",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input that cannot be computed with",
        "param p int\noutput o int = p",
        "int(externalInput('sys.cliArgument', 'in'))",
    ),
    (
        "an input that is no JSON",
        "param p object\noutput o object = p",
        "json(externalInput('sys.cliArgument', 'in'))",
    ),
    (
        "an input of the environment",
        "@maxLength(3)\nparam p string\noutput o string = p",
        "externalInput('sys.envVar', 'SECRET_INPUT')",
    ),
    (
        "an input of a file",
        "@maxLength(3)\nparam p string\noutput o string = p",
        "externalInput('sys.file', 'secret.txt')",
    ),
    (
        "an input of another tool",
        "param p { a: int }\noutput o object = p",
        "externalInput('my.tool', { a: 1 })",
    ),
    (
        "an input in large letters",
        "@maxLength(3)\nparam p string\noutput o string = p",
        "toUpper(externalInput('sys.cliArgument', 'in'))",
    ),
    (
        "an input that a variable fails with",
        "param p string\nvar v = int(p)\noutput o int = v",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input that a function refuses",
        "@maxLength(3)\ntype t = string\nfunc f(x t) string => x\nparam p string\noutput o int = length(f(p))",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input that a module refuses",
        "param p string\nmodule m 'module.bicep' = {\n  name: 'm'\n  params: { secret: 'x', short: p }\n}",
        "externalInput('sys.cliArgument', 'in')",
    ),
    (
        "an input inside of an object",
        "param p { n: 'a' | 'b' }\noutput o string = p.n",
        "{ n: externalInput('sys.cliArgument', 'in') }",
    ),
    (
        "an input inside of a list",
        "@maxLength(3)\ntype t = string\nparam p t[]\noutput o string = p[0]",
        "[externalInput('sys.cliArgument', 'in')]",
    ),
    (
        "an input as the name of a property",
        "param p string\noutput o object = { a: 1 }[p]",
        "externalInput('sys.cliArgument', 'in')",
    ),
];

const MODULE: &str = "\
@secure()
param secret string
#disable-next-line no-unused-params
param plain string = ''
@maxLength(3)
param short string = ''
output length int = length(secret) + length(short)
";

fn kinds() -> Vec<Kind> {
    let secure =
        SECURE.iter().map(|(name, template, parameters)| Kind { name, template, parameters, arguments: &[] });
    let inputs = INPUTS.iter().map(|(name, template, parameters)| {
        let arguments: &[&str] = match *name {
            "an input of the environment" | "an input of a file" => &[],
            "an input of another tool" => &["--inputs", "values.json"],
            _ => &["--input", "in=SECRET"],
        };
        Kind { name, template, parameters, arguments }
    });
    secure.chain(inputs).collect()
}

#[test]
fn there_are_enough_kinds() {
    let names: std::collections::BTreeSet<&str> = kinds().iter().map(|kind| kind.name).collect();
    assert!(names.len() >= 30, "{}", names.len());
}

/// A folder with the files of a kind.
fn folder(kind: &Kind) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("main.bicep", format!("{}\n", kind.template));
    write("module.bicep", MODULE.to_owned());
    write(
        "main.bicepparam",
        format!(
            "using 'main.bicep'\n\nparam p = {}\n",
            kind.parameters.replace("SECRET'", &format!("{SECRET}'"))
        ),
    );
    write("secret.txt", SECRET.to_owned());
    write(
        "values.json",
        json!([{ "type": "my.tool", "config": { "a": 1 }, "value": { "a": SECRET } }]).to_string(),
    );
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    let arguments = arguments.iter().map(|argument| argument.replace("in=SECRET", &format!("in={SECRET}")));
    command.args(arguments).current_dir(folder).env("SINEW_HOME", folder.join("home"));
    command.env("SINEW_TYPES_MIRROR", "none").env("SECRET_INPUT", SECRET).env("NO_COLOR", "1");
    command
}

/// Fails if the secret is in what came out.
#[track_caller]
fn look(kind: &str, whence: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let Some(at) = text.find(&SECRET.to_lowercase()) else { return };
    let around: String =
        text.chars().skip(text[..at].chars().count().saturating_sub(200)).take(400).collect();
    panic!("{kind}: the secret is in {whence}:\n{around}");
}

#[test]
fn commands_show_no_secret() {
    for kind in kinds() {
        let folder = folder(&kind);
        let resolve: &[&str] = if kind.parameters.contains("externalInput") { &["--resolve"] } else { &[] };
        let deployed = ["--state", "state.db"];
        for (base, more) in [
            (vec!["build-params", "main.bicepparam"], resolve),
            (vec!["what-if", "main.bicepparam"], &deployed[..]),
            (vec!["deploy", "main.bicepparam"], &deployed[..]),
            (vec!["what-if", "main.bicepparam", "--all", "--json"], &deployed[..]),
            (vec!["deploy", "main.bicepparam", "--diagnostics-format", "sarif"], &deployed[..]),
            (vec!["what-if", "main.bicepparam", "--diagnostics-format", "junit"], &deployed[..]),
            (
                vec!["check", "main.bicepparam", "--report", "report.html", "--report", "report.sarif"],
                &[][..],
            ),
            (vec!["eval", "--parameters", "main.bicepparam"], &[][..]),
            (vec!["snapshot", "main.bicepparam"], &[][..]),
            (vec!["state", "show", "main"], &deployed[..]),
        ] {
            let mut arguments: Vec<&str> = base.iter().chain(more).copied().collect();
            let is_unresolved = base[0] == "build-params" && resolve.is_empty();
            let takes_inputs = !matches!(base[0], "state" | "check") && !is_unresolved;
            let is_short = matches!(base[0], "eval" | "snapshot") && kind.arguments.is_empty();
            if takes_inputs && !is_short {
                arguments.extend(kind.arguments);
            }
            let ran = finish(&mut command(folder.path(), &arguments)).unwrap();
            let whence = format!("`sinew {}`, exit code {:?}", arguments.join(" "), ran.code);
            look(kind.name, &whence, &ran.stdout);
            look(kind.name, &whence, &ran.stderr);
        }
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // The parameter files have the value: that is what they are for.
            // A page shows lines of the source, which may have the secret as a literal.
            let is_report = name.starts_with("report.") && !kind.parameters.contains("SECRET'");
            if is_report || name.starts_with("state.db") || name.ends_with(".snapshot.json") {
                look(kind.name, &name, &fs::read(&path).unwrap());
            }
        }
    }
}

#[test]
fn the_server_shows_no_secret() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path());
    for (at, kind) in kinds().iter().enumerate() {
        let folder = folder(kind);
        let Some(body) = request(kind, folder.path()) else {
            continue;
        };
        let group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourcegroups/taint";
        let deployment = format!("{group}/providers/Microsoft.Resources/deployments/d{at}");
        let mut answers = Vec::new();
        answers.push(server.call("PUT", group, &json!({ "location": "westeurope" })));
        answers.push(server.call("POST", &format!("{deployment}/validate"), &body));
        answers.push(server.call("POST", &format!("{deployment}/whatIf"), &body));
        answers.push(server.call("PUT", &deployment, &body));
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let answer = server.call("GET", &deployment, &Json::Null);
            let is_over = ["Succeeded", "Failed", "404", "NotFound"].iter().any(|word| answer.contains(word));
            answers.push(answer);
            if is_over || Instant::now() > end {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        answers.push(server.call("GET", &format!("{deployment}/operations"), &Json::Null));
        answers.push(server.call("POST", &format!("{deployment}/exportTemplate"), &json!({})));
        answers.push(server.call("GET", &format!("{group}/resources"), &Json::Null));
        answers.push(server.call(
            "GET",
            &format!("{group}/providers/Microsoft.Resources/deployments"),
            &Json::Null,
        ));
        answers.push(server.listen(&format!("/watch/events{deployment}")));
        for answer in answers {
            look(kind.name, "an answer of the server", answer.as_bytes());
        }
    }
    for path in ["/", "/metrics"] {
        look("all", path, server.call("GET", path, &Json::Null).as_bytes());
    }
    look("all", "the list of deployments on the page", server.listen("/watch/deployments").as_bytes());
    drop(server);
    // The state, and the log.
    for entry in fs::read_dir(home.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            look("all", &path.display().to_string(), &fs::read(&path).unwrap());
        }
    }
}

/// The request that a tool would send: the compiled template, the parameters, and the values of external inputs.
fn request(kind: &Kind, folder: &Path) -> Option<Json> {
    let built = finish(&mut command(folder, &["build", "main.bicep", "--stdout"])).unwrap();
    let template: Json = serde_json::from_slice(&built.stdout).ok()?;
    finish(&mut command(folder, &["build-params", "main.bicepparam"])).unwrap();
    let read =
        |name: &str| -> Option<Json> { serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok() };
    let parameters = read("main.json")?;
    let mut properties = json!({ "mode": "Incremental", "template": template });
    for section in ["parameters", "externalInputs"] {
        if let Some(value) = parameters.get(section) {
            properties[section] = value.clone();
        }
    }
    if parameters.get("externalInputs").is_some() {
        let mut arguments = vec!["inputs", "resolve", "main.json"];
        arguments.extend(kind.arguments);
        finish(&mut command(folder, &arguments)).unwrap();
        properties["externalInputValues"] = read("main.inputs.json")?["externalInputValues"].clone();
    }
    Some(json!({ "properties": properties }))
}

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(home: &Path) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0", "--state"]).arg(home.join("state.db"));
        let log = fs::File::create(home.join("server.log")).unwrap();
        command.env("SINEW_HOME", home).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { process, address }
    }

    /// The whole answer, as text.
    fn call(&self, method: &str, path: &str, body: &Json) -> String {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = self.send(method, path, &body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// What comes first of an answer that does not end: what the page is told.
    fn listen(&self, path: &str) -> String {
        let mut stream = self.send("GET", path, "");
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mut answer = Vec::new();
        // Reading ends with the time, not with the answer.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path}?api-version=2024-03-01 HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
