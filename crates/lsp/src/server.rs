//! The loop: reads messages, answers requests one after the other, and publishes diagnostics when
//! nothing else waits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use base::{Call, Problem, ProblemCode, Result};
use engine::Workspace;
use jiff::Timestamp;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use toolchain::lsp::path_from_uri;

use crate::features::{REQUESTS, capabilities, code_action, diagnostics};
use crate::operation_client::{EditorAuthor, OperationClient};

/// What the door gives to the server.
pub struct ServerStart<'a> {
    /// The folder that is used if the editor names none
    pub folder: PathBuf,
    /// Opens the repository that contains a folder
    pub open: fn(&Path) -> Result<Workspace>,
    /// Who is recorded with changes in a repository
    pub author: &'a dyn Fn(&Workspace) -> EditorAuthor,
    /// The clock
    pub clock: fn() -> Timestamp,
    /// The version of the program
    pub version: &'static str,
}

/// Something that happened.
enum ServerEvent {
    /// The editor sent a message
    Message(Message),
    /// Files changed on disk
    FilesChanged,
    /// The editor closed the connection
    Closed,
}

/// A server for one editor.
pub struct EditorServer {
    connection: Connection,
    client: OperationClient,
    /// Files with changes that are not saved, by URI
    unsaved: BTreeSet<String>,
    /// Files that were given diagnostics, by URI
    published: BTreeMap<String, Vec<Value>>,
    /// Whether diagnostics have to be looked for again
    is_stale: bool,
    /// Whether the editor can open a file on request
    shows_documents: bool,
    /// How many requests the editor was sent: the number of the last one
    sent_requests: i32,
}

impl EditorServer {
    /// Serves on standard input and output until the editor ends the connection.
    pub fn serve_stdio(start: &ServerStart<'_>) -> Result<()> {
        let (connection, threads) = Connection::stdio();
        Self::serve(connection, start)?;
        threads.join().map_err(Problem::io("end the connection to the editor"))
    }

    /// Serves on a connection.
    pub fn serve(connection: Connection, start: &ServerStart<'_>) -> Result<()> {
        let Ok((id, params)) = connection.initialize_start() else { return Ok(()) };
        let folder = root_folder(&params).unwrap_or_else(|| start.folder.clone());
        let workspace = Arc::new((start.open)(&folder)?);
        let reply = json!({
            "capabilities": capabilities(),
            "serverInfo": {"name": "cairn", "version": start.version},
        });
        if connection.initialize_finish(id, reply).is_err() {
            return Ok(());
        }
        let (sender, events) = channel();
        forward_messages(&connection, sender.clone());
        watch_files(&workspace, start.clock, sender);
        let shows_documents = params["capabilities"]["window"]["showDocument"]["support"] == true;
        let author = (start.author)(&workspace);
        let client =
            OperationClient { workspace: Arc::clone(&workspace), author, clock: start.clock };
        let mut server = Self {
            connection,
            client,
            unsaved: BTreeSet::new(),
            published: BTreeMap::new(),
            is_stale: true,
            shows_documents,
            sent_requests: 0,
        };
        server.run(&events);
        workspace.stop_servers();
        Ok(())
    }

    fn run(&mut self, events: &Receiver<ServerEvent>) {
        let mut queue: VecDeque<Message> = VecDeque::new();
        loop {
            // All received messages are looked at first, so that no time is spent on a request that
            // the editor has cancelled.
            while let Ok(event) = events.try_recv() {
                if !self.take(event, &mut queue) {
                    return;
                }
            }
            if let Some(message) = queue.pop_front() {
                if !self.handle(message) {
                    return;
                }
            } else if self.is_stale {
                self.is_stale = false;
                self.publish_diagnostics();
            } else {
                let event = events.recv().unwrap_or(ServerEvent::Closed);
                if !self.take(event, &mut queue) {
                    return;
                }
            }
        }
    }

    /// Puts an event where it belongs; false at the end.
    fn take(&mut self, event: ServerEvent, queue: &mut VecDeque<Message>) -> bool {
        match event {
            ServerEvent::Closed => return false,
            ServerEvent::FilesChanged => self.is_stale = true,
            ServerEvent::Message(Message::Notification(note))
                if note.method == "$/cancelRequest" =>
            {
                self.cancel(&note.params["id"], queue);
            }
            ServerEvent::Message(message) => queue.push_back(message),
        }
        true
    }

    /// Answers a waiting request that the editor no longer wants.
    fn cancel(&mut self, id: &Value, queue: &mut VecDeque<Message>) {
        let is_it = |message: &Message| match message {
            Message::Request(request) => json!(request.id) == *id,
            _ => false,
        };
        let Some(at) = queue.iter().position(is_it) else { return };
        if let Some(Message::Request(request)) = queue.remove(at) {
            let code = ErrorCode::RequestCanceled as i32;
            self.send(Response::new_err(request.id, code, "cancelled".into()).into());
        }
    }

    /// Answers one message; false if the editor ends the session.
    fn handle(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) => {
                if self.connection.handle_shutdown(&request).unwrap_or(true) {
                    return false;
                }
                self.answer(request);
            }
            Message::Notification(note) => {
                if note.method == "exit" {
                    return false;
                }
                self.note(&note);
            }
            Message::Response(_) => {}
        }
        true
    }

    fn answer(&mut self, request: Request) {
        if request.method == "workspace/executeCommand" {
            let done = code_action::execute(&self.client, &request.params);
            if let Ok(Some(uri)) = done.as_ref().map(|done| done.show.clone()) {
                self.show(&uri);
            }
            self.is_stale = true;
            return self.respond(request.id, done.map(|_| Value::Null));
        }
        let handler = REQUESTS.iter().find(|(method, _)| *method == request.method);
        let Some((method, handler)) = handler else {
            let code = ErrorCode::MethodNotFound as i32;
            let message = format!("no method `{}`", request.method);
            return self.send(Response::new_err(request.id, code, message).into());
        };
        let uri = request.params["textDocument"]["uri"].as_str().unwrap_or_default();
        let reply = match *method == "textDocument/codeAction" && self.unsaved.contains(uri) {
            true => Ok(json!([])),
            false => handler(&self.client, &request.params),
        };
        self.respond(request.id, reply);
    }

    /// What was not found is no error in an editor: there is nothing to show.
    fn respond(&mut self, id: RequestId, reply: Result<Value>) {
        let response = match reply {
            Ok(value) => Response::new_ok(id, value),
            Err(problem) if problem.code == ProblemCode::NotFound => {
                Response::new_ok(id, Value::Null)
            }
            Err(problem) => {
                let hints: Vec<String> = problem.hints.iter().map(ToString::to_string).collect();
                let message = format!("{problem}. {}", hints.join(". "));
                Response::new_err(id, ErrorCode::RequestFailed as i32, message)
            }
        };
        self.send(response.into());
    }

    fn note(&mut self, note: &Notification) {
        let uri = note.params["textDocument"]["uri"].as_str().unwrap_or_default();
        match note.method.as_str() {
            "textDocument/didChange" => {
                self.unsaved.insert(uri.to_owned());
            }
            "textDocument/didSave" | "textDocument/didClose" | "textDocument/didOpen" => {
                self.unsaved.remove(uri);
                self.is_stale = true;
            }
            _ => {}
        }
    }

    /// Computes diagnostics and sends the editor those that changed.
    fn publish_diagnostics(&mut self) {
        let Ok(found) = diagnostics::all(&self.client) else { return };
        let gone = self.published.keys().filter(|uri| !found.contains_key(*uri));
        let gone: Vec<String> = gone.cloned().collect();
        for uri in gone {
            self.publish(&uri, &[]);
        }
        let changed: Vec<(String, Vec<Value>)> = found
            .iter()
            .filter(|(uri, list)| self.published.get(*uri) != Some(*list))
            .map(|(uri, list)| (uri.clone(), list.clone()))
            .collect();
        for (uri, list) in changed {
            self.publish(&uri, &list);
        }
        self.published = found;
    }

    fn publish(&self, uri: &str, list: &[Value]) {
        let params = json!({"uri": uri, "diagnostics": list});
        self.send(Notification::new("textDocument/publishDiagnostics".into(), params).into());
    }

    /// Asks the editor to open a file.
    fn show(&mut self, uri: &str) {
        if !self.shows_documents {
            return;
        }
        self.sent_requests += 1;
        let id = RequestId::from(self.sent_requests);
        let params = json!({"uri": uri, "takeFocus": true});
        self.send(Request::new(id, "window/showDocument".into(), params).into());
    }

    /// A message to an editor that is gone is lost; the loop ends by itself.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }
}

/// The folder that the editor works in.
fn root_folder(params: &Value) -> Option<PathBuf> {
    let named = params["workspaceFolders"][0]["uri"].as_str().or(params["rootUri"].as_str());
    named.and_then(path_from_uri)
}

/// Hands every message on, and reports the end of the connection.
fn forward_messages(connection: &Connection, events: Sender<ServerEvent>) {
    let messages = connection.receiver.clone();
    std::thread::spawn(move || {
        for message in messages {
            if events.send(ServerEvent::Message(message)).is_err() {
                return;
            }
        }
        let _ = events.send(ServerEvent::Closed);
    });
}

/// Reports file changes that were not made in the editor, such as those of agents and git.
fn watch_files(workspace: &Arc<Workspace>, clock: fn() -> Timestamp, events: Sender<ServerEvent>) {
    let workspace = Arc::clone(workspace);
    std::thread::spawn(move || {
        let call = Arc::new(Call::new("lsp", clock()));
        let _ = workspace.watch(&call, |_| drop(events.send(ServerEvent::FilesChanged)));
    });
}
