import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  DispatchError,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { firstOf, modern, TASKS, until } from "../agent/support.ts";

/*
 * The clients through which an agent reaches /mcp: the official SDKs, MCP Inspector, and a host that is written out here.
 * Each has the ways in which it learns the result of a call that waits for a person.
 */

/** Where the service is, with which key, and what everybody said. */
export interface Place {
  readonly url: () => string;
  readonly key: string;
  /** A folder for what a program keeps. */
  readonly folder: string;
  /** Every message between a client and the service. */
  readonly seen: string[];
  /** How often the service was started. */
  readonly starts: () => number;
}

/** A person follows a link. While the client waits, the service may be killed and started again. */
export type Person = (link: string) => Promise<void>;

/** Calls a tool; `person` is asked when the client is. Gives what the model gets in the end. */
type Way = (name: string, args: Readonly<Record<string, unknown>>, person: Person) => Promise<string>;

/** A client and how it waits. */
export interface AgentClient {
  readonly name: string;
  /** For calls during which nobody is asked, or by a link in the answer. */
  readonly plain: Way;
  readonly ways: Readonly<Record<string, Way>>;
  /** Ends what it started. */
  close?(): Promise<void>;
}

const me = { name: "agent-clients", version: "1.0.0" };
const URL_MODE = { elicitation: { url: {} } };
const linkIn = (text: string): string => /https?:\/\/[^\s"\\]+\/approvals\?id=[\w-]+/.exec(text)?.[0] ?? "";

/** Follows a run that waits by asking for it again. */
function polling(call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>): Way {
  return async (name, args, person) => {
    const held = await call(name, args);
    const runId = /"runId":\s*"([^"]+)"/.exec(held)?.[1] ?? "";
    assert.notEqual(runId, "", held);
    await person(linkIn(held));
    return call("get", { kind: "run", id: runId, waitSeconds: 30 });
  };
}

/** A call whose answer is lost when the service ends: the same call with its key finds the same run. */
function lasting(call: Way): Way {
  return async (name, args, person) => {
    let link = "";
    let answered = Promise.resolve();
    const first = await call(name, args, (asked) => {
      link = asked;
      answered = person(asked);
      return answered;
    }).catch((error: unknown) => `lost: ${String(error)}`);
    // What the person does goes on when the answer is lost.
    await answered;
    if (first.includes('"ok"')) return first;
    return call(name, args, async (again) => assert.equal(again, link, "it asks about the same call"));
  };
}

function recording({ seen, key }: Place, onLost: () => void = () => undefined) {
  return {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: async (address: string | URL, init?: RequestInit): Promise<Response> => {
      if (typeof init?.body === "string") seen.push(init.body);
      const response = await fetch(address, init);
      void response
        .clone()
        .text()
        .then((text) => seen.push(text))
        .catch(onLost);
      return response;
    },
  };
}

/** The official SDK, version 1: revisions before 2026-07-28, which have no Tasks extension. */
export function sdkV1(place: Place): AgentClient {
  const call =
    (asks: boolean): Way =>
    async (name, args, person) => {
      const client = new ClientV1(me, asks ? { capabilities: URL_MODE } : {});
      if (asks)
        client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
          await person("url" in params ? params.url : "");
          return { action: "accept" };
        });
      // The SDK goes on waiting for an answer whose stream broke off.
      const lost = new AbortController();
      const parts = recording(place, () => lost.abort(new Error("the stream broke off")));
      await client.connect(new TransportV1(new URL(`${place.url()}/mcp`), parts));
      try {
        const options = { timeout: 60_000, signal: lost.signal };
        return JSON.stringify(await client.callTool({ name, arguments: args }, undefined, options));
      } finally {
        await client.close();
      }
    };
  const nobody: Person = () => Promise.resolve();
  return {
    name: "sdk1",
    plain: call(true),
    ways: {
      elicitation: lasting(call(true)),
      polling: polling((name, args) => call(false)(name, args, nobody)),
    },
  };
}

/** The official SDK, version 2, with its extension for tasks. */
export function sdkV2(place: Place): AgentClient {
  const connected = async (capabilities: object, person: Person): Promise<ClientV2> => {
    const client = new ClientV2(me, { capabilities, versionNegotiation: { mode: "auto" } });
    if ("elicitation" in capabilities)
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        await person("url" in params ? params.url : "");
        return { action: "accept" };
      });
    await client.connect(new TransportV2(new URL(`${place.url()}/mcp`), recording(place)));
    return client;
  };
  const call =
    (capabilities: object): Way =>
    async (name, args, person) => {
      const client = await connected(capabilities, person);
      const result = await client.callTool({ name, arguments: args });
      await client.close();
      return JSON.stringify(result);
    };
  const tasks: Way = async (name, args, person) => {
    const client = await connected(TASKS, person);
    let asked = false;
    const session = createTaskSessionFromClient(client, {
      endpointId: "agent-clients",
      v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo: me, clientCapabilities: TASKS },
      rawDispatch: async (request) => {
        const { method, params } = JSON.parse(JSON.stringify(request));
        place.seen.push(JSON.stringify(request));
        const answer = await modern(
          { fetch: (path, init) => fetch(`${place.url()}${path}`, init) },
          place.key,
          method,
          params,
        ).catch((error: unknown) => {
          throw new DispatchError(String(error), true);
        });
        const text = JSON.stringify(answer);
        place.seen.push(text);
        const link = linkIn(text);
        if (link !== "" && !asked) {
          asked = true;
          await person(link);
        }
        const { error, result } = JSON.parse(text);
        return error === undefined ? { kind: "result", result } : { kind: "error", error };
      },
    });
    const execution = await session.callTool(name, JSON.parse(JSON.stringify(args)));
    const { outcome } = await execution.settle();
    await session.close();
    await client.close();
    return JSON.stringify(resultFromTaskOutcome(outcome));
  };
  const nobody: Person = () => Promise.resolve();
  return {
    name: "sdk2",
    plain: call(URL_MODE),
    ways: {
      tasks,
      elicitation: call(URL_MODE),
      polling: polling((name, args) => call({})(name, args, nobody)),
    },
  };
}

const CLIENTS = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")),
  "clients",
);
const run = promisify(execFile);

/** MCP Inspector: its command line, and its program that keeps a connection (which can ask a person). */
export function inspector(place: Place, pendingLink: () => Promise<string>): AgentClient {
  const program = async (file: string, args: readonly string[]): Promise<string> => {
    const env = { ...process.env, HOME: place.folder, MCP_INSPECTOR_SECRET_STORE: "file" };
    const { stdout } = await run(process.execPath, [join(CLIENTS, file), ...args], { env }).catch(
      (error: unknown) => {
        // A result that is an error ends the program with 1; its answer is on stdout all the same.
        if (error instanceof Error && "stdout" in error && String(error.stdout).includes("{"))
          return { stdout: String(error.stdout) };
        throw error;
      },
    );
    place.seen.push(stdout);
    return JSON.stringify(JSON.parse(stdout));
  };
  const header = ["--header", `Authorization: Bearer ${place.key}`];
  const cli = (era: string, name: string, args: Readonly<Record<string, unknown>>): Promise<string> =>
    program("launcher/build/index.js", [
      "--cli",
      `${place.url()}/mcp`,
      "--transport",
      "http",
      ...header,
      "--protocol-era",
      era,
      "--method",
      "tools/call",
      "--tool-name",
      name,
      "--tool-args-json",
      JSON.stringify(args),
    ]);
  const mcpdo = (...args: readonly string[]): Promise<string> =>
    program("mcpdo/build/mcp-bin.js", ["--format", "json", ...args]);
  const elicitation: Way = async (name, args, person) => {
    await mcpdo("connect", `${place.url()}/mcp`, "--server", "here", "--elicit", "url", ...header);
    const asked = await mcpdo("--connection", "here", "tools/call", name, JSON.stringify(args));
    const id = /"elicitationId":"([^"]+)"/.exec(asked)?.[1];
    if (id === undefined) return asked;
    const starts = place.starts();
    await person(linkIn(asked));
    if (place.starts() !== starts) {
      // It would wait a minute for an answer whose stream broke off: a person connects again.
      await mcpdo("disconnect", "here");
      throw new Error("the service was started again");
    }
    return mcpdo("elicitation/respond", id, "--done");
  };
  return {
    name: "inspector",
    plain: (name, args) => cli("legacy", name, args),
    ways: {
      tasks: lasting(async (name, args, person) => {
        const answer = cli("modern", name, args);
        const link = await Promise.race([
          pendingLink(),
          answer.then(
            () => "",
            () => "",
          ),
        ]);
        if (link !== "") await person(link);
        return answer;
      }),
      elicitation: lasting(elicitation),
      polling: polling((name, args) => cli("legacy", name, args)),
    },
    close: async () => void (await mcpdo("daemon", "stop").catch(() => undefined)),
  };
}

/** A host of revision 2026-07-28, request by request. */
export function scriptedHost(place: Place): AgentClient {
  const send = async <M extends string>(
    method: M,
    params: Readonly<Record<string, unknown>>,
    capabilities: object,
  ) => {
    const service = { fetch: (path: string, init?: RequestInit) => fetch(`${place.url()}${path}`, init) };
    const answer = await modern(service, place.key, method, params, capabilities);
    place.seen.push(JSON.stringify({ method, params }), JSON.stringify(answer));
    return answer.result;
  };
  const tasks: Way = async (name, args, person) => {
    const task = await send("tools/call", { name, arguments: args }, TASKS);
    assert.equal(task.resultType, "task", JSON.stringify(task));
    const get = () => send("tasks/get", { taskId: task.taskId }, TASKS);
    await person(linkIn((await get()).statusMessage));
    return JSON.stringify((await until(get, ({ status }) => status === "completed")).result);
  };
  const elicitation: Way = async (name, args, person) => {
    const asked = await send("tools/call", { name, arguments: args }, URL_MODE);
    if (asked.resultType !== "input_required") return JSON.stringify(asked);
    const [key, question] = firstOf(Object.entries(asked.inputRequests));
    await person(question.params.url);
    const { requestState } = asked;
    const inputResponses = { [key]: { action: "accept" } };
    return JSON.stringify(
      await send("tools/call", { name, arguments: args, requestState, inputResponses }, URL_MODE),
    );
  };
  return {
    name: "host",
    plain: elicitation,
    ways: {
      tasks,
      elicitation,
      polling: polling(async (name, args) =>
        JSON.stringify(await send("tools/call", { name, arguments: args }, {})),
      ),
    },
  };
}
