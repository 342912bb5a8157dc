import { isObject } from "#kernel/json.ts";
import { at, objectAt, textAt, type JsonRecord } from "../lib/read.ts";

/*
 * The view's half of the MCP Apps protocol (2026-01-26): JSON-RPC over postMessage with the host that shows the page.
 * Written out because it is small: the page must be one file, and an SDK would be most of it.
 */

/** What the host tells the view. */
export interface HostHandlers {
  /** The arguments of the tool call that brought the view up. */
  readonly onInput: (args: JsonRecord) => void;
  /** The result of that call. */
  readonly onResult: (result: JsonRecord) => void;
  readonly onContext: (context: JsonRecord) => void;
}

/** A connected host. */
export interface Host {
  readonly name: string;
  readonly context: JsonRecord;
  /** True when the host passes tool calls on to the server. */
  readonly canCall: boolean;
  callTool(name: string, args: JsonRecord): Promise<JsonRecord>;
  /** Opens an address in the person's browser: a page in a sandboxed frame cannot. */
  open(url: string): Promise<void>;
  /** Puts a message from the person into the conversation. */
  say(text: string): Promise<void>;
  /** Tells the model what the form holds, without a turn of the conversation. */
  tellModel(text: string, structured: JsonRecord): Promise<void>;
}

const PROTOCOL = "2026-01-26";

/** Shakes hands with the host and listens to it. */
export async function connectHost(handlers: HostHandlers): Promise<Host> {
  let lastId = 0;
  const waiting = new Map<
    number,
    { readonly resolve: (value: JsonRecord) => void; readonly reject: (error: Error) => void }
  >();
  // The host's origin is not known to a sandboxed view; what is sent holds nothing the host did not give.
  const post = (message: JsonRecord) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = (method: string, params: JsonRecord): Promise<JsonRecord> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      post({ id, method, params });
    });
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== window.parent || !isObject(event.data) || event.data["jsonrpc"] !== "2.0") return;
    const message = event.data;
    const method = textAt(message, "method");
    if (method !== "") return receive(message, method, handlers, post);
    const pending = typeof message["id"] === "number" ? waiting.get(message["id"]) : undefined;
    if (pending === undefined || typeof message["id"] !== "number") return;
    waiting.delete(message["id"]);
    if (isObject(message["error"]))
      pending.reject(new Error(textAt(message["error"], "message", "The host refused.")));
    else pending.resolve(objectAt(message, "result"));
  });
  const hello = await request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: "workflow-ui", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  post({ method: "ui/notifications/initialized", params: {} });
  reportSize(post);
  const capabilities = objectAt(hello, "hostCapabilities");
  return {
    name: textAt(hello, ["hostInfo", "name"], "the host"),
    context: objectAt(hello, "hostContext"),
    canCall: isObject(capabilities["serverTools"]),
    callTool: (name, args) => request("tools/call", { name, arguments: args }),
    open: async (url) => {
      await request("ui/open-link", { url });
    },
    say: async (text) => {
      await request("ui/message", { role: "user", content: [{ type: "text", text }] });
    },
    tellModel: async (text, structured) => {
      await request("ui/update-model-context", {
        content: [{ type: "text", text }],
        structuredContent: structured,
      });
    },
  };
}

function receive(
  message: JsonRecord,
  method: string,
  handlers: HostHandlers,
  post: (message: JsonRecord) => void,
): void {
  const params = objectAt(message, "params");
  const id = message["id"];
  switch (method) {
    case "ui/notifications/tool-input":
      return handlers.onInput(objectAt(params, "arguments"));
    case "ui/notifications/tool-result":
      return handlers.onResult(params);
    case "ui/notifications/host-context-changed":
      return handlers.onContext(params);
    case "ping":
    case "ui/resource-teardown":
      return post({ id, result: {} });
    default:
      if (id !== undefined) post({ id, error: { code: -32601, message: `Unknown method ${method}` } });
  }
}

/** Tells the host how tall the page is, whenever that changes. */
function reportSize(post: (message: JsonRecord) => void): void {
  let last = "";
  const tell = () => {
    const root = document.documentElement;
    const size = {
      width: Math.ceil(root.scrollWidth),
      height: Math.ceil(document.body.getBoundingClientRect().height),
    };
    const text = JSON.stringify(size);
    if (text === last) return;
    last = text;
    post({ method: "ui/notifications/size-changed", params: size });
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}

/** The form document in a tool's result, if it has one. */
export function formIn(result: JsonRecord): unknown {
  const data = at(result, "structuredContent", "data");
  return at(data, "form") ?? (textAt(data, "schemaVersion") === "svc.form.v1" ? data : undefined);
}
