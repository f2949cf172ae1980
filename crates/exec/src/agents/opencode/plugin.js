// countersign plugin, form 1
// Written by `countersign hooks install opencode`, and removed by `countersign hooks uninstall
// opencode`. It tells countersign what happens in a session and changes nothing in it; what goes
// wrong here stays here.
import { spawn, spawnSync } from "node:child_process";

const PROGRAM = "{{PROGRAM}}";
const GUARD = "{{GUARD}}" === "on";
const ARGUMENTS = ["hook", "opencode"];
const PATIENCE = 30_000;

export const Countersign = async ({ directory }) => {
  const waiting = []; // events that nobody was told of yet, in order
  const parents = new Map(); // session of a sub-agent -> session that started it
  const open = new Set(); // sessions that did something
  const failed = new Set(); // calls whose failure was told
  let sending = null;

  const payload = (name, session, more) => {
    let root = session;
    while (parents.has(root)) root = parents.get(root);
    const lane = root === session ? {} : { agent_id: session, agent_type: "task" };
    if (root) open.add(root);
    const base = { hook_event_name: name, session_id: root ?? "", cwd: directory, ...lane };
    return JSON.stringify({ ...base, ...more });
  };

  const start = (text) => {
    const options = { cwd: directory, stdio: ["pipe", "pipe", "pipe"], timeout: PATIENCE };
    const child = spawn(PROGRAM, ARGUMENTS, options);
    const job = { text, child, delivered: false };
    job.done = new Promise((resolve) => {
      let out = "";
      let err = "";
      child.stdout.on("data", (data) => (out += data));
      child.stderr.on("data", (data) => (err += data));
      child.on("error", (error) => resolve({ code: null, out, err: String(error) }));
      child.on("close", (code) => resolve({ code, out, err }));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(text, () => (job.delivered = true));
    return job;
  };

  // One after the other, so that countersign hears of things in their order.
  const pump = async () => {
    while (!sending && waiting.length > 0) {
      const next = waiting.shift();
      try {
        sending = start(next.text);
        next.resolve(await sending.done);
      } catch (error) {
        next.resolve({ code: null, out: "", err: String(error) });
      } finally {
        sending = null;
      }
    }
  };

  const tell = (name, session, more) =>
    new Promise((resolve) => {
      waiting.push({ text: payload(name, session, more), resolve });
      pump();
    });

  // opencode leaves without waiting for anybody: what is still to be told is told now.
  process.on("exit", () => {
    const rest = waiting.map((item) => item.text);
    if (sending && !sending.delivered) {
      sending.child.kill();
      rest.unshift(sending.text);
    }
    for (const session of open) rest.push(payload("SessionEnd", session, { reason: "exit" }));
    for (const input of rest) {
      try {
        spawnSync(PROGRAM, ARGUMENTS, { cwd: directory, input, timeout: 3_000, stdio: ["pipe", "ignore", "ignore"] });
      } catch {}
    }
  });

  // Why a call may not be made, if it may not.
  const refusal = ({ code, out, err }) => {
    if (code === 2) return err.trim() || "refused by countersign";
    if (code !== 0) return `countersign did not answer, and it guards this session: ${err.trim()}`;
    try {
      const answer = JSON.parse(out);
      const specific = answer.hookSpecificOutput ?? {};
      if (specific.permissionDecision === "deny") return specific.permissionDecisionReason ?? "refused";
      if (answer.decision === "block") return answer.reason ?? "refused";
    } catch {}
    return null;
  };

  const hear = (event) => {
    const it = event.properties ?? {};
    const info = it.info ?? {};
    switch (event.type) {
      case "session.created":
        if (info.parentID) {
          parents.set(info.id, info.parentID);
          return tell("SubagentStart", info.id, {});
        }
        return tell("SessionStart", info.id, { source: "startup", version: info.version });
      case "session.idle":
        return tell(parents.has(it.sessionID) ? "SubagentStop" : "Stop", it.sessionID, {});
      case "session.error":
        return tell("StopFailure", it.sessionID, { error: it.error?.name ?? "unknown", detail: it.error });
      case "session.compacted":
        return tell("PostCompact", it.sessionID, {});
      case "message.part.updated": {
        const part = it.part ?? {};
        if (part.type !== "tool" || part.state?.status !== "error" || failed.has(part.callID)) return;
        failed.add(part.callID);
        const call = { tool_name: part.tool, tool_input: part.state.input, tool_use_id: part.callID };
        return tell("PostToolUseFailure", part.sessionID, { ...call, error: part.state.error });
      }
    }
  };

  return {
    event: async ({ event }) => {
      try {
        hear(event);
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const texts = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic);
        const prompt = texts.map((part) => part.text).join("\n");
        tell("UserPromptSubmit", input.sessionID, { prompt });
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      let told;
      try {
        const call = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID };
        told = tell("PreToolUse", input.sessionID, call);
      } catch (error) {
        told = Promise.resolve({ code: null, out: "", err: String(error) });
      }
      if (!GUARD) return;
      const reason = refusal(await told);
      if (reason) throw new Error(reason);
    },
    "tool.execute.after": async (input, output) => {
      try {
        const call = { tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID };
        const response = { title: output.title, output: output.output, metadata: output.metadata };
        tell("PostToolUse", input.sessionID, { ...call, tool_response: response });
      } catch {}
    },
  };
};
