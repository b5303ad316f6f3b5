//! Requests that mean harm, or that are simply broken: each gets an answer or a closed connection, and the server goes on.

use std::sync::Arc;
use std::time::Duration;

use api::HttpLimits;
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::server::{GROUP, Server, Setup};

/// Writes bytes to the server and reads what it says until it closes the connection.
async fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // The server may close before it has read all: that is an answer, too.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(Duration::from_secs(20), reading).await.expect("the connection stays open");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn is_well(server: &Server) {
    assert_eq!(server.get("/healthz?").await.status, 200);
}

fn with_limits(limits: HttpLimits) -> Setup {
    Setup { limits, ..Setup::default() }
}

#[tokio::test]
async fn broken_heads() {
    let short = HttpLimits { head_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = Server::with(with_limits(short)).await;
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(10_000));
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1 << 20));
    for (bytes, expected) in [
        (&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..], "HTTP/1.1 400"),
        (b"nonsense\r\n\r\n", "HTTP/1.1 400"),
        (b"GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 400"),
        (b"PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", "HTTP/1.1 400"),
        (
            b"PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
            "HTTP/1.1 400",
        ),
        (b"GET /\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n", "HTTP/1.1 400"),
        (many.as_bytes(), "HTTP/1.1 431"),
        (long.as_bytes(), "HTTP/1.1 4"),
        (b"GET /healthz HTTP/1.1\r\nhost: local", ""),
        (b"", ""),
    ] {
        let answer = raw(&server, bytes).await;
        let shown = String::from_utf8_lossy(bytes.get(..60).unwrap_or(bytes)).into_owned();
        assert!(answer.starts_with(expected), "{shown:?} → {answer:?}");
    }
    is_well(&server).await;
}

#[tokio::test]
async fn one_host_and_no_more() {
    let server = Server::start().await;
    for head in ["", "host: localhost\r\nhost: localhost\r\n"] {
        let answer =
            raw(&server, format!("GET /healthz HTTP/1.1\r\n{head}connection: close\r\n\r\n").as_bytes())
                .await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{head:?} → {answer:?}");
    }
    is_well(&server).await;
}

/// Contents that never end, of callers who have shown no token, hold nothing that others need.
#[tokio::test]
async fn slow_contents_do_not_starve_others() {
    let limits = HttpLimits { requests: 4, queue_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = Server::with(with_limits(limits)).await;
    let mut slow = Vec::new();
    for number in 0..300 {
        let path = match number % 2 {
            0 => "/tenant/oauth2/token".to_owned(),
            _ => format!("{GROUP}?api-version=2025-04-01"),
        };
        let method = if number % 2 == 0 { "POST" } else { "PUT" };
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{{");
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    // All of them are being read: those who log in are fewer than asked.
    let is_busy = async || {
        let figures = server.get("/metrics?").await.body.as_str().unwrap_or_default().to_owned();
        let number = figures
            .lines()
            .find_map(|line| line.strip_prefix("sinew_http_requests_in_flight ")?.parse().ok());
        number.unwrap_or(0) > 150
    };
    while !is_busy().await {
        tokio::task::yield_now().await;
    }
    // Whoever found no place within the time for waiting would be refused.
    server.make_group().await;
    is_well(&server).await;
}

#[tokio::test]
async fn broken_contents() {
    let server = Server::start().await;
    server.make_group().await;
    let deployment = format!("{GROUP}/providers/Microsoft.Resources/deployments/d");
    let deep = format!("{{properties: {}", "[".repeat(200_000));
    for body in ["", "{", "[]", "null", "\"x\"", "{\"properties\": }", "\u{feff}", &deep] {
        for path in [GROUP, deployment.as_str()] {
            let answer = server.send(Method::PUT, path, Some(body)).await;
            let shown: String = body.chars().take(40).collect();
            assert_eq!((answer.status, answer.code()), (400, "InvalidRequestContent"), "{shown}: {answer:?}");
        }
    }
    let request = server.client.put(format!("{}{GROUP}?api-version=2025-04-01", server.url));
    let answer = request.body(vec![0xff, 0xfe, b'{', b'}']).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 400);
    is_well(&server).await;
}

#[tokio::test]
async fn huge_contents() {
    let server = Server::with(with_limits(HttpLimits { body_bytes: 100_000, ..HttpLimits::default() })).await;
    let body = format!("{{\"a\": \"{}\"}}", "x".repeat(1_000_000));
    let answer = server.send(Method::PUT, GROUP, Some(&body)).await;
    assert_eq!((answer.status, answer.code()), (413, "RequestContentTooLarge"));
    // A chunked content says nothing of its size in advance.
    let head = format!(
        "PUT {GROUP}?api-version=2025-04-01 HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let chunk = format!("{:x}\r\n{}\r\n", 50_000, "x".repeat(50_000));
    let answer = raw(&server, format!("{head}{}", chunk.repeat(4)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    is_well(&server).await;
}

#[tokio::test]
async fn slow_contents() {
    let limits = HttpLimits { body_time: Duration::from_millis(200), ..HttpLimits::default() };
    let server = Server::with(with_limits(limits)).await;
    let head = format!(
        "PUT {GROUP}?api-version=2025-04-01 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{{"
    );
    let answer = raw(&server, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("RequestTimeout"), "{answer}");
    is_well(&server).await;
}

#[tokio::test]
async fn contents_together_have_a_limit() {
    let limits = HttpLimits { memory_bytes: 64 * 1024, ..HttpLimits::default() };
    let server = Server::with(with_limits(limits)).await;
    let body = format!("{{\"location\": \"{}\"}}", "x".repeat(100_000));
    let answer = server.send(Method::PUT, GROUP, Some(&body)).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "1"));
    is_well(&server).await;
}

#[tokio::test]
async fn large_contents_wait_for_each_other() {
    let server =
        Arc::new(Server::with(with_limits(HttpLimits { large_requests: 1, ..HttpLimits::default() })).await);
    server.make_group().await;
    let body: Arc<str> = format!("{{properties: {{x: [{}]}}}}", "0,".repeat(600_000)).into();
    let mut tasks = JoinSet::new();
    for name in 0..3 {
        let (server, body) = (Arc::clone(&server), Arc::clone(&body));
        let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d{name}");
        tasks.spawn(async move { server.send(Method::PUT, &path, Some(&body)).await });
    }
    while let Some(answer) = tasks.join_next().await {
        let answer = answer.unwrap();
        assert_eq!((answer.status, answer.code()), (400, "InvalidRequestContent"), "{answer:?}");
    }
    let none = Server::with(with_limits(HttpLimits {
        large_requests: 0,
        queue_time: Duration::ZERO,
        ..HttpLimits::default()
    }))
    .await;
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d");
    assert_eq!(none.send(Method::PUT, &path, Some(&body)).await.status, 429);
    is_well(&none).await;
}

#[tokio::test]
async fn paths_and_methods_that_nobody_knows() {
    let server = Server::start().await;
    for (path, status, code) in [
        ("/nothing?", 404, "InvalidResourceType"),
        ("/subscriptions/a%2Fb?api-version=2025-04-01", 400, "InvalidRequestUri"),
        ("/subscriptions/%ff?api-version=2025-04-01", 400, "InvalidRequestUri"),
        ("/subscriptions?", 400, "MissingApiVersionParameter"),
        ("/subscriptions?api-version=soon", 400, "InvalidApiVersionParameter"),
        (
            "/subscriptions/x/resources?api-version=2025-04-01&$filter=1%20or%201",
            400,
            "InvalidFilterInQueryString",
        ),
        ("/subscriptions/x/resourceGroups?api-version=2025-04-01&$top=-1", 400, "InvalidTopParameter"),
    ] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{path}");
    }
    for (method, path) in [
        (Method::DELETE, "/subscriptions"),
        (Method::PATCH, "/providers/Microsoft.Resources/deployments/d"),
        (Method::GET, "/providers/Microsoft.Resources/deployments/d/cancel"),
        (Method::POST, "/"),
        (Method::TRACE, "/healthz"),
        (Method::GET, "/x/oauth2/token"),
    ] {
        let answer = server.send(method.clone(), path, None).await;
        assert_eq!((answer.status, answer.code()), (405, "MethodNotAllowed"), "{method} {path}");
        let allowed: Vec<&str> = answer.header("allow").split(", ").collect();
        assert!(
            !allowed.contains(&method.as_str()) && !allowed.contains(&""),
            "{method} {path}: {allowed:?}"
        );
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let server = Server::start().await;
    for (name, value, status) in [
        ("host", "evil.example", 403),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", server.url.as_str(), 200),
    ] {
        let url = format!("{}/subscriptions?api-version=2025-04-01", server.url);
        let answer = server.client.get(url).header(name, value).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{name}: {value}");
        assert!(answer.headers().get("access-control-allow-origin").is_none());
    }
}

#[tokio::test]
async fn a_page_cannot_be_made_to_run_what_a_deployment_holds() {
    let server = Server::start().await;
    for path in ["/", "/page/main.js", "/page.css", "/page.svg"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn idle_connections_do_not_keep_others_out() {
    let limits =
        HttpLimits { connections: 4, head_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = Server::with(with_limits(limits)).await;
    let mut idle = Vec::new();
    for _ in 0..8 {
        idle.push(TcpStream::connect(server.address).await.unwrap());
    }
    is_well(&server).await;
}

#[tokio::test]
async fn readers_that_stop_are_given_up() {
    let limits =
        HttpLimits { connections: 1, write_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = Server::with(with_limits(limits)).await;
    let mut greedy = TcpStream::connect(server.address).await.unwrap();
    let ask = b"GET /page/main.js HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(10_000);
    // The server stops taking requests when its answers are not taken, and then closes the only connection there is.
    let _ = tokio::time::timeout(Duration::from_secs(20), greedy.write_all(&ask)).await;
    is_well(&server).await;
}

#[tokio::test]
async fn stopping_finishes_what_is_in_hand() {
    let mut server = Server::start().await;
    let body = json!({ "location": "westeurope" }).to_string();
    let head = format!(
        "PUT {GROUP}?api-version=2025-04-01 HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // The request is in hand once it is counted.
    while !server.get("/metrics?").await.body.to_string().contains("http_requests_in_flight 2") {
        tokio::task::yield_now().await;
    }
    let watching = server
        .client
        .get(format!("{}/watch/events{GROUP}/providers/Microsoft.Resources/deployments/d", server.url));
    let watching = watching.send().await.unwrap();
    let finishing = async {
        tokio::task::yield_now().await;
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let ((), answer) = tokio::join!(server.stop(), finishing);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(TcpStream::connect(server.address).await.is_err());
    assert_eq!(watching.text().await.unwrap(), "");
}
