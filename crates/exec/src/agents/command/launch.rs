//! How a command is started: by a shell, with the prompt on its standard input.

use std::path::Path;

use crate::agents::start::{Launch, Permissions, Start};

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, Path::new("/bin/sh"));
    launch.args(["-c", start.spec.command.as_deref().unwrap_or("false")]);
    // They are `$1` and so on, if the command looks at them.
    if !start.extra_args.is_empty() {
        launch.arg("sh");
        launch.argv.extend(start.extra_args.iter().map(Into::into));
    }
    if start.permissions != Permissions::Full {
        launch.note("a command may do all that its user may");
    }
    launch
}
