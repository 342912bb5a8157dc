import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "../model.ts";

const NOTE = '{"title":"Release notes","type":"note","description":"What changed and why."}';

const artifactSource: ArgumentSpec = {
  name: "artifact",
  summary:
    "The id of a saved artifact (`latest` is the newest), a JSON or YAML file, or - for standard input.",
  kind: "file",
};
const siblingArgument: ArgumentSpec = {
  name: "target",
  summary: "The sibling: sandbox, evals, docs, sheets, catalog, browsercheck, …",
};
const actionOption: OptionSpec = {
  name: "action",
  value: "CAPABILITY",
  summary: "What the target should do; receive when left out.",
};

/** Commands about artifacts, handoffs and provenance. */
export const recordCommands: readonly CommandSpec[] = [
  {
    path: "artifacts list",
    summary: "Saved artifacts, newest first.",
    access: "public",
    options: [cursorOption],
    examples: [{ id: "artifacts-list", title: "The newest artifacts", needs: ["service"], steps: [{}] }],
  },
  {
    path: "artifacts show",
    summary: "One saved artifact and how it is kept.",
    access: "public",
    args: [recordId("artifact")],
    examples: [
      {
        id: "artifacts-show",
        title: "The newest artifact",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "artifacts save",
    summary: "Save an artifact on the server.",
    access: "key",
    args: [{ name: "file", summary: "The artifact as JSON or YAML; - is standard input.", kind: "file" }],
    options: [{ name: "title", value: "TITLE", summary: "Its title, instead of the file's." }],
    examples: [
      {
        id: "artifacts-save",
        title: "Save a note",
        needs: ["service", "key"],
        steps: [{ args: ["-"], stdin: NOTE }],
      },
    ],
  },
  {
    path: "artifacts export",
    summary: "Print an artifact as JSON, YAML or Markdown.",
    access: "public",
    args: [artifactSource],
    options: [
      {
        name: "format",
        value: "FORMAT",
        summary: "json when left out.",
        choices: ["json", "yaml", "markdown"],
      },
    ],
    examples: [
      {
        id: "artifacts-export",
        title: "The newest artifact as Markdown",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"], options: { format: "markdown" }, into: "artifact.md" }],
      },
      {
        id: "artifacts-export-stdin",
        title: "An artifact that is not saved, as YAML",
        needs: ["service"],
        steps: [{ args: ["-"], options: { format: "yaml" }, stdin: NOTE }],
      },
    ],
  },
  {
    path: "artifacts share",
    summary: "Everything needed to pass an artifact on: texts, calls, commands and a link.",
    access: "public",
    args: [artifactSource],
    options: [{ name: "link", summary: "Print the link and nothing else." }],
    examples: [
      {
        id: "artifacts-share",
        title: "A link to the newest artifact",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"], options: { link: true } }],
      },
    ],
  },
  {
    path: "artifacts delete",
    summary: "Delete a saved artifact; a tombstone and its provenance stay.",
    access: "key",
    args: [recordId("artifact")],
    options: [yesOption],
    examples: [
      {
        id: "artifacts-delete",
        title: "Delete the newest artifact",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"], options: { yes: true } }],
      },
    ],
  },
  {
    path: "handoffs preview",
    summary: "The packet that would hand an artifact to a sibling. Sends nothing.",
    access: "public",
    args: [siblingArgument, { ...artifactSource, optional: true }],
    options: [actionOption],
    examples: [
      {
        id: "handoffs-preview",
        title: "See the packet before it is sent",
        needs: ["service"],
        steps: [{ args: ["sandbox", "-"], stdin: NOTE }],
      },
    ],
  },
  {
    path: "handoffs send",
    summary: "Hand an artifact to a sibling; completed only when it confirms a result.",
    access: "key",
    args: [siblingArgument, { ...artifactSource, optional: true }],
    options: [actionOption, yesOption],
    examples: [
      {
        id: "handoffs-send",
        title: "Have a report made of the newest artifact",
        needs: ["service", "key", "artifact", "siblings"],
        steps: [{ args: ["docs", "latest"], options: { action: "report", yes: true } }],
      },
    ],
  },
  {
    path: "handoffs inbox",
    summary: "Handoffs that came in, newest first.",
    access: "key",
    options: [
      { name: "status", value: "STATUS", summary: "Only handoffs in this state." },
      limitOption,
      cursorOption,
    ],
    examples: [{ id: "handoffs-inbox", title: "What came in", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "handoffs outbox",
    summary: "Handoffs that were sent, newest first.",
    access: "key",
    options: [
      { name: "status", value: "STATUS", summary: "Only handoffs in this state." },
      limitOption,
      cursorOption,
    ],
    examples: [{ id: "handoffs-outbox", title: "What was sent", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "handoffs show",
    summary: "One handoff: where it stands, what was tried and what was confirmed.",
    access: "key",
    args: [recordId("handoff")],
    examples: [
      {
        id: "handoffs-show",
        title: "The newest handoff",
        needs: ["service", "key", "handoff"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "handoffs run",
    summary: "Start a workflow from an accepted handoff; its outcome becomes the handoff's.",
    access: "key",
    args: [
      recordId("handoff"),
      { name: "workflow", summary: "The id of the workflow; `latest` is the newest one." },
    ],
    options: [{ name: "inputs", value: "JSON", summary: "The run's inputs.", kind: "file" }],
    examples: [
      {
        id: "handoffs-run",
        title: "Start the newest workflow from the newest handoff",
        needs: ["service", "key", "handoff", "workflow"],
        steps: [{ args: ["latest", "latest"] }],
      },
    ],
  },
  {
    path: "provenance lookup",
    summary: "Find provenance records by what they speak of.",
    access: "public",
    options: [
      { name: "workflow", value: "ID", summary: "Records of a workflow." },
      { name: "run", value: "ID", summary: "Records of a run, its steps and approvals." },
      { name: "artifact", value: "ID", summary: "Records of an artifact." },
      { name: "handoff", value: "ID", summary: "Records of a handoff." },
      { name: "form", value: "ID", summary: "Records of a rendered form." },
      { name: "document", value: "URL", summary: "Records of a discovery document." },
      { name: "hash", value: "SHA256", summary: "Records with this digest or leaf hash." },
      { name: "record", value: "ID", summary: "One record." },
    ],
    examples: [
      {
        id: "provenance-lookup",
        title: "Everything that was recorded of the newest run",
        needs: ["service", "key", "run"],
        steps: [{ options: { run: "latest" } }],
      },
    ],
  },
  {
    path: "provenance verify",
    summary: "Verify a record, or a proof file without asking anybody.",
    about:
      "A file, or - for standard input, is checked on this machine with no network; --keys names a file of keys that you trust, such as a saved /.well-known/provenance.json. Anything else is the id or the hash of a record, which the service verifies. Exit status 1 when a verdict is fail.",
    access: "public",
    args: [{ name: "proof", summary: "A proof file, -, or the id or hash of a record.", kind: "file" }],
    options: [
      { name: "keys", value: "FILE", summary: "Keys that you trust, for a proof file.", kind: "file" },
    ],
    examples: [
      {
        id: "provenance-verify",
        title: "Take a proof along and check it offline",
        needs: ["service", "key", "artifact"],
        steps: [{ path: "provenance proof", args: ["latest"], into: "proof.json" }, { args: ["proof.json"] }],
      },
      {
        id: "provenance-verify-record",
        title: "Let the service verify its newest record",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "provenance proof",
    summary: "The proof of a record, for anybody to check offline.",
    access: "public",
    args: [{ name: "record", summary: "The id or hash of the record; `latest` is the newest one." }],
    examples: [
      {
        id: "provenance-proof",
        title: "Save the proof of the newest record",
        needs: ["service", "key", "artifact"],
        steps: [{ args: ["latest"], into: "proof.json" }],
      },
    ],
  },
  {
    path: "provenance rotate",
    summary: "Make a new signing key; what the present one signed stays valid.",
    access: "key",
    options: [yesOption],
    examples: [
      {
        id: "provenance-rotate",
        title: "Make a new signing key",
        needs: ["service", "key"],
        steps: [{ options: { yes: true } }],
      },
    ],
  },
];
