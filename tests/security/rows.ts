/*
 * Long on purpose: every attack and fault that the service is built for, with the tests that show what happens instead.
 * The page docs/security.md is made from it row by row.
 */

/** A test by the file it stands in and its name, or the fixed part of it. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

/** One attack or fault. */
export interface SecurityRow {
  readonly id: string;
  readonly attack: string;
  readonly required: string;
  readonly tests: readonly NamedTest[];
}

/** A command that takes too long for `npm run test:all`. */
export interface LongCommand {
  readonly id: string;
  readonly command: string;
  readonly what: string;
  /** What fails it. */
  readonly bound: string;
}

/** The long commands. Each writes its figures to docs/security-results.json with `--record`. */
export const LONG_COMMANDS: readonly LongCommand[] = [
  {
    id: "L1",
    command: "npm run soak",
    what: "Mixed load for 30 minutes: forms, runs, approvals, handoffs, event streams, reads, bad requests.",
    bound:
      "A wrong answer, or growth from the middle to the last third, after a collection: resident memory over 8 % + 8 MB, heap 10 % + 6 MB, descriptors 10 % + 10, WAL 10 % + 4 MB.",
  },
  {
    id: "L2",
    command: "npm run overload",
    what: "Ten times as many clients as saturate the service, for 2 minutes, with cheap reads beside them.",
    bound:
      "Accepted p99 over 1 s, resident memory over 512 MB, no recovery in 5 s, a cheap read refused or held up.",
  },
  {
    id: "L3",
    command: "npm run attack",
    what: "500 clients that dribble headers, 4,200 silent ones, and the costly requests, while `/livez` is asked.",
    bound: "`/livez` p99 over 50 ms, or descriptors that stay open.",
  },
  {
    id: "L4",
    command: "npm run fuzz",
    what: "1,000,000 random requests over every entry point.",
    bound:
      "A crash, an answer of 5xx, or one that takes over 1 s, also when it is asked for twice more and alone (`--max-ms` sets another bound, and is noted).",
  },
  {
    id: "L5",
    command: "npm run fuzz:cost",
    what: "Every input of every entry point grows to the limit of a body: tools, every operation by the id of a real record (query, body, each member of it, forms of OAuth), headers, packets, documents. Every answer of a connected API and MCP server grows to 9 MB.",
    bound:
      "More than 100 ms of the main thread, or growth beyond n log n; 500 ms for an answer of a connected server.",
  },
  {
    id: "L6",
    command: "npm run chaos -- 1000",
    what: "kill -9 of a working engine 1,000 times for each store, with a counter of effects; PostgreSQL killed and started every 10 s.",
    bound: "A run lost, a checkpointed step run again, a run that does not end.",
  },
  {
    id: "L7",
    command: "npm run chaos -- 1000",
    what: "kill -9 of a writing process 1,000 times for each store.",
    bound: "An acknowledged write lost, one that is half there, a damaged database.",
  },
  {
    id: "L8",
    command: "npm run chaos -- 1000",
    what: "One of two replicas frozen (SIGSTOP) for 60 s in the middle of its runs.",
    bound: "A stale write or effect after it comes back, a run that does not end.",
  },
  {
    id: "L9",
    command: "npm run chaos:effects",
    what: "10,000 calls that end in every way (before, while and after sending, half an answer, no answer, 408, 5xx and redirects, handoffs, own tools, a program that dies, the database away, the process killed), half on each store, with an oracle that counts effects.",
    bound:
      "A claim that is not what the oracle counted, an outcome called unknown that could be known, an effect twice, a compensation of what may have happened.",
  },
  {
    id: "L10",
    command: "npm run fuzz:operations",
    what: "100,000 requests made from the declared schemas of all REST operations: fitting ones, and each of them broken at one place after the other.",
    bound:
      "An answer that OpenAPI does not declare, a broken value that is accepted, a refusal that does not name the place.",
  },
  {
    id: "L11",
    command: "npm run chaos:triggers",
    what: "10,000 dates of 200 schedules that are due every second, half on each store, while processes are killed at every named point and in between.",
    bound: "A date lost or repeated, a date without its run, a run without a date.",
  },
  {
    id: "L12",
    command: "npm run chaos:connections",
    what: "A workflow over a REST API and an MCP program with an approval before the write, on PostgreSQL; kill -9 in each of its steps.",
    bound: "A write executed twice or under another key, a run that does not end, a credential in the run.",
  },
];

const row = (
  id: string,
  attack: string,
  required: string,
  ...tests: readonly (readonly [file: string, name: string])[]
): SecurityRow => ({ id, attack, required, tests: tests.map(([file, name]) => ({ file, name })) });

/*
 * Long on purpose: one table of attacks and the tests that show their defence, so that a row is found in one place.
 */

/** The table. docs/security.md is generated from it, and a name that no test has fails the generation. */
export const SECURITY_ROWS: readonly SecurityRow[] = [
  row(
    "T1",
    "A hostile schema",
    "Bounded in size, depth, nodes, enums and patterns; compiled only in a worker thread with a deadline and a memory limit; the form is bounded, copies counted.",
    ["tests/forms/hostile.test.ts", ": refused by both tools"],
    ["tests/forms/hostile.test.ts", "what cannot be decided in time is unknown, with the reason"],
    ["tests/forms/hostile.test.ts", "memory is bounded"],
    ["tests/security/quadratic.test.ts", ": under 100 ms of the main thread"],
  ),
  row(
    "T2",
    "JSON that is too deep, too large, ambiguous or badly encoded",
    "A clear 400 or 413 before anything uses it.",
    ["src/gateway/json-body.test.ts", "knows the size and depth limits to the byte and the level"],
    ["src/gateway/json-body.test.ts", "knows how many members and containers a body may have"],
    ["src/gateway/json-body.test.ts", "refuses a duplicate member wherever it is"],
    ["tests/gateway/json-rpc.test.ts", "refuses 10 MB with 413, declared and undeclared"],
  ),
  row(
    "T3",
    "Abuse of batches and notifications",
    "50 items at most, rights and rates by item; a notification acts with nobody's rights.",
    [
      "tests/gateway/json-rpc.test.ts",
      "defines the empty batch, the batch of notifications and the batch that is too long",
    ],
    ["tests/gateway/json-rpc.test.ts", "checks the rights of every item on its own"],
  ),
  row(
    "T4",
    "Slow and silent connections, request smuggling",
    "Deadlines for headers and bodies, bounded connections and streams, room for those who ask; a request that parsers disagree about is refused.",
    ["tests/gateway/sockets.test.ts", ": a clear 400, and the connection ends"],
    ["tests/gateway/sockets.test.ts", "a dribbled body is cut off"],
    ["tests/security/connections.test.ts", "do not keep out those who ask, and do not pile up"],
    ["tests/security/connections.test.ts", "are bounded for each caller, and a closed one makes room"],
  ),
  row(
    "T5",
    "Stolen, guessed and conflicting keys",
    "Digests only, one refusal for every cause, guessing is stopped.",
    ["tests/gateway/auth.test.ts", "two keys that differ are a bad request, the same key twice is not"],
    ["tests/gateway/limits.test.ts", "a caller that guesses keys is stopped before the key is read"],
  ),
  row(
    "T6",
    "Paths that go around a check",
    "The dispatcher checks, never a path; what is unknown is refused.",
    ["tests/gateway/http.test.ts", "does not take the absolute form for a path of its own"],
    ["tests/gateway/http.test.ts", "takes JSON only"],
  ),
  row(
    "T7",
    "Scripts, forged requests and key theft in the browser",
    "A strict content policy; what others wrote stays text.",
    ["tests/web/hostile.test.ts", "stays text in every part of a form"],
    ["tests/gateway/http.test.ts", "cannot be sniffed, framed or cached by default"],
  ),
  row(
    "T8",
    "Requests to addresses inside",
    "One fetcher that checks and pins every address, redirects included.",
    ["src/fetch/fetcher.test.ts", "checks where a redirect leads"],
    [
      "src/fetch/fetcher.test.ts",
      "looks a name up once for a connection, so a name that changes its mind gains nothing",
    ],
    ["tests/siblings/ssrf.test.ts", "the addresses in a packet that was received"],
  ),
  row(
    "T9",
    "Replayed and forged handoffs",
    "One record by packet id; other content under the same id is a conflict.",
    ["tests/siblings/receiver.test.ts", "makes one record of 100 parallel duplicates"],
    [
      "tests/siblings/receiver.test.ts",
      "refuses other content under an id that is taken, and keeps what it has",
    ],
  ),
  row(
    "T10",
    "Forged webhooks",
    "Standard signatures, a secret each, two during a rotation; the same rules for addresses.",
    ["tests/events/webhooks.test.ts", "are signed with both secrets while one is replaced"],
    ["tests/events/webhooks.test.ts", "are not sent to addresses inside, unless the operator trusts them"],
  ),
  row(
    "T11",
    "Forged, replayed and raced approvals",
    "Decided once, by exactly one; expiry never approves.",
    ["tests/engine/engine.testsuite.ts", ": of 50 decisions at once exactly one wins"],
    [
      "tests/engine/engine.testsuite.ts",
      ": an approval reminds, escalates and expires; expiry never approves",
    ],
  ),
  row(
    "T12",
    "Secrets in logs, answers, records and files",
    "An allow-list of log fields; a canary in every part of a request appears nowhere. After every path on which a credential, a password or a token goes, no place that people or programs can read holds it.",
    ["tests/gateway/logs.test.ts", "what callers send reaches no log line and no metric"],
    [
      "tests/vault/canary.test.ts",
      "the paths were really used: the API received every secret, and repeated it",
    ],
    ["tests/vault/canary.test.ts", "the sweep finds what it looks for, however it is written"],
    ["tests/vault/canary.test.ts", "answers to every request of the paths above"],
    ["tests/vault/canary.test.ts", "the files of the database, its log and its key"],
  ),
  row(
    "T13",
    "Image bombs",
    "Bounded by the header before anything is decoded.",
    ["src/handoffs/image.test.ts", "refuses a bomb of 17,000 by 17,000 by its header alone"],
    ["src/handoffs/image.test.ts", "refuses what is not a raster image, or only claims to be one"],
  ),
  row(
    "T14",
    "Tools of other servers that change",
    "Pinned by digest; a changed one is quarantined until an operator accepts it.",
    [
      "tests/siblings/network-tools.test.ts",
      "are quarantined when they change, until an operator accepts what was looked at",
    ],
    ["tests/siblings/network-tools.test.ts", "are called with our credential and never with the caller's"],
  ),
  row(
    "T15",
    "Code in expressions",
    "References and CEL only; nothing reaches JavaScript, loops are bounded.",
    ["src/workflows/values.test.ts", "reach no JavaScript"],
    ["src/workflows/values.test.ts", "refuse what can run long"],
  ),
  row(
    "T16",
    "Hostile packages",
    "An exact lock, few runtime packages, install scripts by name only.",
    [
      "tests/security/supply-chain.test.ts",
      "no package runs a script at its installation, but the named ones",
    ],
    ["tests/security/supply-chain.test.ts", "every runtime package has a reason and a free licence"],
  ),
  row(
    "T17",
    "Name rebinding and headers that differ from the body",
    "Host and Origin are checked; headers give no authority.",
    ["tests/gateway/http.test.ts", "refuses foreign and malformed hosts on every path"],
    [
      "tests/gateway/revisions.test.ts",
      "refuses headers that are missing or say something else than the body",
    ],
  ),
  row(
    "T18",
    "Small requests that cost much",
    "100 ms of the main thread at most, linear growth, a watchdog that names the cause.",
    ["tests/security/quadratic.test.ts", ": under 100 ms of the main thread"],
    [
      "tests/security/cost.test.ts",
      "no input of a reader of documents costs the main thread more than it may",
    ],
    ["src/gateway/watchdog.test.ts", "a call that holds the thread is named in the log and counted"],
  ),
  row(
    "T19",
    "Callers without a key who fill the disk",
    "They leave forms and their events, bounded in number, size and age; nothing else.",
    [
      "tests/security/anonymous-writes.test.ts",
      "is nothing but forms and their events, whatever tool or route they use",
    ],
    [
      "tests/security/anonymous-writes.test.ts",
      "is deleted a week after its last use; what has a key or is ours stays",
    ],
    [
      "tests/security/anonymous-writes.test.ts",
      "is bounded by settings; a key takes a form over with its provenance",
    ],
  ),
  row(
    "T20",
    "Rights of others and hidden records",
    "Every tool, route, resource, prompt and event type answers each kind of caller by its rights; a record that a caller may not see answers like one that does not exist.",
    [
      "tests/authorization/matrix.test.ts",
      "serve who may, refuse the others, with one answer for each reason",
    ],
    [
      "tests/authorization/matrix.test.ts",
      "those with a key refuse everybody else, and every one is served to an admin",
    ],
    [
      "tests/authorization/matrix.test.ts",
      "show private data to the scopes that may see it, and to nobody else",
    ],
    ["tests/authorization/private-records.test.ts", "answers like one that does not exist"],
    ["tests/authorization/personal-records.test.ts", "what belongs to a person"],
    ["tests/authorization/personal-records.test.ts", "every page is the same document for every caller"],
  ),
  row(
    "T21",
    "Guessed passwords, copied or forged sessions, used links, requests that other pages cause",
    "Bounded guesses with one answer, sessions that rotate and end, links that work once, and nothing without our own page.",
    [
      "tests/people/accounts.test.ts",
      "an unknown address, a wrong password and a disabled person get the same answer",
    ],
    ["tests/people/accounts.test.ts", "guesses are stopped, for accounts that exist and those that do not"],
    [
      "tests/people/accounts.test.ts",
      "needs our own page: without its header, from another origin or another site it is refused",
    ],
    [
      "tests/people/sessions.test.ts",
      "is renewed after an hour; the old token counts for a minute more, and later ends the session",
    ],
  ),
  row(
    "T22",
    "A run that approves itself, or hides what it destroys",
    "A nested or computed call counts with the worst effect it can have; no run decides an approval.",
    ["tests/workflows/guards.test.ts", " is destructive for validation, plan and approval rules"],
    ["tests/workflows/guards.test.ts", "a tool name that is not a plain text is refused, not run"],
    [
      "tests/workflows/guards.test.ts",
      "the dispatcher refuses a run's own decision, direct or nested, with every scope",
    ],
    [
      "tests/workflows/guards.test.ts",
      "a published document from before the rule cannot approve another run from inside",
    ],
  ),
  row(
    "T23",
    "A call that is cut off after it was sent",
    "Unknown, never failed: not repeated, not compensated, and said so to direct callers. One function decides.",
    [
      "tests/connections/workflow.test.ts",
      "are confirmed by a complete answer, wait as asked, and are not repeated when it is not known",
    ],
    ["tests/connections/mcp-faults.test.ts", "one that closes half-way has not answered"],
    [
      "tests/connections/mcp-outcomes.test.ts",
      "end each by itself: one that is cut says nothing about the others in its conversation",
    ],
    [
      "tests/connections/mcp-outcomes.test.ts",
      "are not sent after they were given up: what did not happen then does not happen later",
    ],
    [
      "tests/connections/mcp-outcomes.test.ts",
      "are in doubt after errors that proxies give for a time-out or a lost connection",
    ],
    [
      "tests/connections/mcp-outcomes.test.ts",
      "are in doubt when the end of the task that they began is not known, and it is begun once",
    ],
    [
      "tests/chaos/effects.test.ts",
      "every way a call can end: what is claimed of its effect is what the oracle counted",
    ],
    [
      "tests/connections/workflow.test.ts",
      "say of a step whose last attempt was refused that an earlier one may have had its effect",
    ],
  ),
  row(
    "T24",
    "A database that is away while calls are under way",
    "Records of calls and checkpoints wait in memory; steps are tried again; no run fails of it.",
    [
      "tests/chaos/effects.test.ts",
      "every way a call can end: what is claimed of its effect is what the oracle counted",
    ],
  ),
  row(
    "T25",
    "A retry under a key that its target never gets",
    "An error of the workflow, before any run; tools that take a key act once under it.",
    ["tests/connections/workflow.test.ts", "take a key for a retry only where the operation carries it"],
    [
      "tests/artifacts/artifacts.test.ts",
      "calls under one idempotency key save once, also at the same moment; another content is a conflict",
    ],
  ),
  row(
    "T26",
    "Words that say more or less than happened",
    "A complete answer confirms a call; Retry-After is honoured and shown.",
    [
      "tests/connections/workflow.test.ts",
      "are confirmed by a complete answer, wait as asked, and are not repeated when it is not known",
    ],
  ),
  row(
    "T45",
    "A step that a person settled, shown as the server's answer",
    "The step, its attempt and its provenance record say who settled it and why.",
    ["tests/engine/engine.testsuite.ts", ": a cut-off step that is not idempotent waits for a person's word"],
  ),
  row(
    "T28",
    "A subworkflow or connected definition that changes while an approval waits",
    "Versions and definitions are resolved when the run starts and are part of what is shown and digested; what changed is not executed.",
    [
      "tests/engine/engine.testsuite.ts",
      ": a run executes the subworkflows that were published when it started, and approvals show them",
    ],
    [
      "tests/engine/engine.testsuite.ts",
      ": a run of a release that resolved nothing is resolved when it is opened, and says so",
    ],
    [
      "tests/connections/workflow.test.ts",
      "are not called when they changed after the run started: what was approved is what is sent",
    ],
  ),
  row(
    "T32",
    "A published workflow that shows strangers people, fixed values or a credential",
    "Publishing keeps who sees it; making it public is a choice of its own. Strangers see a list of named parts, and what looks like a credential is never public.",
    [
      "tests/authorization/private-records.test.ts",
      "publishing keeps a workflow private; made public, nobody sees people, fixed values, notes or run values",
    ],
    [
      "tests/authorization/private-records.test.ts",
      "what looks like a credential keeps a workflow from being public, by every way",
    ],
  ),
  row(
    "T33",
    "A key that reads or changes the private records of others",
    "Without read-private a record of another caller answers like one that does not exist, through every tool, route and resource that takes an id.",
    [
      "tests/authorization/private-records.test.ts",
      "a key sees the values of its own run, and no other key does",
    ],
    [
      "tests/authorization/private-records.test.ts",
      "a form of a person is not read without a credential; one's own stays readable",
    ],
    [
      "tests/authorization/private-records.test.ts",
      "a key reads and changes the artifacts that it saved; those of others do not exist for it",
    ],
    [
      "tests/authorization/private-records.test.ts",
      "a key with handoff sees the handoffs that it sent in, and nobody else's",
    ],
    [
      "tests/authorization/private-records.test.ts",
      "a key with run starts public workflows and its own; a private one of another does not exist for it",
    ],
    ["tests/authorization/private-records.test.ts", "no request puts its records under a run"],
    [
      "tests/workflows/tools.test.ts",
      "each change writes its event and publishing its provenance, in the same transaction",
    ],
    [
      "tests/provenance/provenance.test.ts",
      "what is not public leaves no plain digest behind, and the holder of the salt can check it",
    ],
  ),
  row(
    "T39",
    "Answers that cost more to read than to send",
    "Counted before anything is built, off the main thread when large; past the bound the bytes are kept.",
    [
      "tests/security/hostile-answers.test.ts",
      "an API's answer past the bound is kept as bytes, and the result says so",
    ],
    [
      "tests/security/hostile-answers.test.ts",
      "an API's answer within the bound keeps its shape and costs 100 ms of the main thread at most",
    ],
    ["tests/security/hostile-answers.test.ts", "a JSON answer of 2 MB keeps its shape for the next step"],
    ["tests/oauth/code-flow.test.ts", "refuses large bodies and many parameters before it reads them"],
    [
      "tests/connections/programs.test.ts",
      "that lists 6,000 tools is refused, and one that sends 20,000 messages is ended",
    ],
    [
      "tests/connections/programs.test.ts",
      "keeps the shape of an answer within the bound, its bytes past it, and pictures as pictures",
    ],
  ),
  row(
    "T41",
    "A call or a caller that spoils a connected server for the others",
    "A call that times out ends alone, a changed list is noticed and quarantined, and each caller has its own conversations.",
    ["tests/connections/programs.test.ts", "goes on for the others when one call times out"],
    ["tests/connections/programs.test.ts", "talks to each caller in a conversation of its own"],
    [
      "tests/connections/programs.test.ts",
      "is read again when it says that its list changed, and what is new waits to be accepted",
    ],
    [
      "tests/connections/mcp-faults.test.ts",
      "one that says over HTTP that its list changed is read again, and what is new waits",
    ],
  ),
  row(
    "T44",
    "Requests that nobody asked for, and states that are not true",
    "No POST to what nobody called an MCP server, no hidden attempts, and a test that asks the API with its credential.",
    ["tests/connections/faults.test.ts", "an address that nobody called an MCP server is sent no POST"],
    [
      "tests/connections/faults.test.ts",
      "a step is sent once an attempt, and its error has the status and Retry-After",
    ],
    [
      "tests/connections/faults.test.ts",
      "a test looks at the API and its credential, not only at the description",
    ],
    [
      "tests/connections/programs.test.ts",
      "has the end of its error output in the error when it dies, without its environment",
    ],
    ["tests/connections/faults.test.ts", "reports not_sent exactly where nothing was sent"],
    ["tests/connections/faults.test.ts", "reports why TLS failed"],
    [
      "tests/connections/mcp-faults.test.ts",
      "a tool that was renamed between list and call fails with the server's words, and waits after a sync",
    ],
  ),
  row(
    "T34",
    "A statement about the service that its answers contradict",
    "What is shown of templates, rights, plans, siblings and counters is computed from what decides it.",
    ["tests/workflows/templates.test.ts", " is valid without a warning, planned, and dry-run"],
    [
      "tests/workflows/tools.test.ts",
      "a run is refused with the reasons for which its plan is not executable",
    ],
    [
      "tests/authorization/reported-access.test.ts",
      "says of each tool and route what the caller's request is answered with",
    ],
    ["tests/workflows/tools.test.ts", "the counters of get_health are those of its time"],
    [
      "src/siblings/siblings.test.ts",
      "is not failing when it answers a call with the JSON-RPC error for invalid params",
    ],
    ["src/siblings/siblings.test.ts", "is not failing because callers send it what it refuses"],
    [
      "tests/workflows/confirmation.test.ts",
      "the plan names the steps that cannot be confirmed, why, and what to do",
    ],
    ["tests/workflows/confirmation.test.ts", "the plan says what of a subworkflow cannot be confirmed"],
  ),
  row(
    "T35",
    "A redirect that leads a credential to another origin",
    "The fetcher alone adds a credential, checks its hosts at each hop, and adds nothing for another origin; neither other headers nor a body go there.",
    [
      "tests/connections/redirects.test.ts",
      "carries nothing of a credential, for every caller and every place it is written",
    ],
    ["src/fetch/fetcher.test.ts", "keeps credentials from another origin"],
  ),
  row(
    "T37",
    "Secrets under names of every kind",
    "Names are recognised by their words, addresses with a password and private keys by what they are; on import a header's value becomes an input unless the header is known to be harmless.",
    ["src/kernel/secrets.test.ts", "names of secrets are recognised by their words"],
    ["tests/workflows/imports.test.ts", " are not taken over, whatever their names"],
    ["tests/workflows/imports.test.ts", " are asked for by the run"],
    ["tests/workflows/imports.test.ts", "are not taken over: "],
    ["tests/connections/programs.test.ts", "gets its secrets from the vault, and they are shown nowhere"],
    [
      "tests/connections/programs.test.ts",
      "gets no secret that is for another program, and an address gets none of a program",
    ],
  ),
  row(
    "T43",
    "A request that differs from the one that was meant",
    "Every style, type of value and type of body arrives byte by byte as the description says, or is refused with the reason before anything is sent.",
    ["tests/connections/requests.test.ts", " parameters in the style "],
    ["tests/connections/requests.test.ts", " of type "],
    [
      "tests/connections/requests.test.ts",
      "a plain address is asked as it is, and a credential in the query changes nothing else of it",
    ],
    [
      "tests/connections/requests.test.ts",
      "a list is one that can be read again: what parts its items is not in them",
    ],
    [
      "tests/connections/requests.test.ts",
      "an integer that a number here would change is refused, and one in an answer is given as a text",
    ],
    [
      "tests/connections/requests.test.ts",
      "a file is not sent where nobody can say whether it is text or base64",
    ],
    [
      "tests/connections/programs.test.ts",
      "gives integers that a number here would change as texts, and says which",
    ],
    ["tests/triggers/webhooks.test.ts", "keeps a 64-bit id that a number here would change, as a text"],
  ),
  row(
    "T38",
    "An address that its issuer has not checked",
    "A token or a sign-in of another server counts for a known account there, or for a verified address.",
    ["tests/oauth/external.test.ts", "refuses every other token"],
    ["tests/oauth/external.test.ts", "takes a known account at the issuer, whatever its address is"],
    [
      "tests/web/oidc.test.ts",
      "refuses who has no role, whose address is another's, and who is disabled, each with a sentence",
    ],
  ),
  row(
    "T42",
    "Small leaks of sign-in, addresses and answers",
    "No redirect to what only a stranger named, no announced mode that our pages forbid, each guess in the audit list; a path stays the path whatever a value holds, and an answer does not repeat a credential in another encoding; what a large description took is given back.",
    ["tests/connections/requests.test.ts", "a path never becomes another one, whatever a value holds"],
    ["tests/vault/vault.test.ts", "that a server repeats are known in every usual encoding, too"],
    ["tests/oauth/code-flow.test.ts", "sends nobody on to a client that no person has connected"],
    ["tests/oauth/code-flow.test.ts", "announces no response mode that its own pages forbid"],
    ["tests/people/audit.test.ts", "every route that changes rights writes an entry with who did it"],
    [
      "src/workers/pool.test.ts",
      "a thread that grew for a large input ends, and its memory with it; an ordinary one stays",
    ],
  ),
  row(
    "T27",
    "Two processes on one file, and starts that cannot write",
    "The second process does not start; a full disk is one line and a service that reads; an impossible folder fails at once.",
    [
      "tests/storage/sqlite-faults.test.ts",
      "on a file that another process serves is refused with its pid, until that one is gone however it ended",
    ],
    [
      "tests/storage/sqlite-faults.test.ts",
      "on a full disk gives one line and a service that reads, after a stop and after a crash",
    ],
    ["tests/storage/sqlite-faults.test.ts", "in a folder that cannot be made fails at once, with one line"],
  ),
  row(
    "T36",
    "A credential that is sent or signed in elsewhere",
    "A new host needs the secret again, another owner's credential is not changed, a sign-in ends in the browser that began.",
    ["tests/vault/vault.test.ts", "are stored, shown without their secret, replaced and removed"],
    ["tests/vault/vault.test.ts", "belong to everybody or to one caller, whose own one wins"],
    [
      "tests/vault/oauth.test.ts",
      "callbacks that are made up, wrong or from another server end on a page that says so",
    ],
  ),
  row(
    "T40",
    "Strangers who fill the disk, crowd others out or lock them out",
    "What they begin is bounded by address (of IPv6 by network), number and age; nothing is fetched for them; names have a deadline; guesses from elsewhere keep nobody out.",
    ["tests/oauth/clients.test.ts", "strangers are bounded by address, and drop nobody who waits"],
    ["tests/oauth/clients.test.ts", "a stranger with a whole network of IPv6 addresses is one stranger"],
    ["src/kernel/network.test.ts", "a host of IPv6 counts once, whichever of its addresses it sends from"],
    [
      "tests/oauth/clients.test.ts",
      "fetches nothing for strangers: sign-in comes first, and a client that nobody connected has no keys here",
    ],
    ["tests/storage/audit.testsuite.ts", "trims one action before a time and nothing else"],
    [
      "src/fetch/fetcher.test.ts",
      "looks names up with a deadline, and a silent name server does not delay other requests",
    ],
    [
      "src/fetch/fetcher.test.ts",
      "runs few pieces of work of strangers at once, lets some wait, and refuses the rest",
    ],
    ["tests/people/accounts.test.ts", "guesses from elsewhere do not lock a person out"],
    [
      "src/gateway/client-address.test.ts",
      "behind a proxy that is not configured is noticed once, and reported",
    ],
  ),
  row(
    "T46",
    "A newer build on the database of an older one",
    "Forward migrations only: a stored 0.10.0 database opens whole on both stores; another schema is another version.",
    ["tests/storage/stored.test.ts", "opens whole: every record is read, and what waits goes on"],
    ["src/storage/migrations.test.ts", "a released migration never changes, on neither database"],
    ["src/storage/migrations.test.ts", "builds that differ in schema differ in version"],
  ),
  row(
    "T29",
    "One person with several credentials votes several times, or approves what they started",
    "Votes, who started a run and who worked on a version are compared by the person behind the credential; a program counts where the workflow names it.",
    [
      "tests/people/approvals.test.ts",
      "the session, API key and service key of one person are one vote; the record names person and key",
    ],
    [
      "tests/people/approvals.test.ts",
      "four eyes see the person behind who started a run or worked on its version",
    ],
    [
      "tests/people/approvals.test.ts",
      "a program behind which nobody is known decides where it is named, and counts once elsewhere",
    ],
  ),
  row(
    "T30",
    "An approval that does not show what will happen, or is decided unseen",
    "It shows the calls behind it with their arguments, also of subworkflows. A client that cannot send a digest is shown what it would decide and decides nothing; its next call within ten minutes decides exactly that. About its own calls a person decides in the web app.",
    [
      "tests/engine/engine.testsuite.ts",
      ": an approval shows the calls behind it with their arguments, also of subworkflows",
    ],
    [
      "tests/people/approvals.test.ts",
      "a client that cannot send a digest is shown what it would decide, then decides exactly that",
    ],
    ["tests/workflows/broken.ts", "an approval of a call whose arguments come later"],
    [
      "tests/guard/guard.test.ts",
      "has the person behind a client decide about its calls in the web app, not the client",
    ],
    [
      "tests/web/approval-controls.test.ts",
      "is the one that a link names, or none: a guest is asked to sign in, and no other one takes its place",
    ],
  ),
  row(
    "T31",
    "Rights that are gone and still used: by a run, by a client or a link of a disabled person, after a stolen password",
    "At each step a run has the rights of its start that are still held; without any it stops. A retry has the rights of who retries. Disabling a person, or a new password by link, ends what lets the person in.",
    [
      "tests/engine/engine.testsuite.ts",
      ": a run stops when the rights it acts with end, and a retry acts with the rights of who retries",
    ],
    [
      "tests/people/tokens.test.ts",
      "a step acts with the rights of its start that are still held; a retry with those of who retries",
    ],
    [
      "tests/people/tokens.test.ts",
      "disabling a person ends what lets the person in, stops the runs, and lists what goes on",
    ],
    [
      "tests/people/tokens.test.ts",
      "a new password by link ends sessions, tokens and clients that are not kept",
    ],
  ),
  row(
    "F1",
    "Killed at any time",
    "Nothing acknowledged is lost, no checkpointed step runs again, and the next start succeeds.",
    [
      "tests/storage/damage.test.ts",
      "a kill between the header of a new write-ahead log and its first frame is no damage",
    ],
    [
      "tests/chaos/engine-sqlite.test.ts",
      "sqlite: killed at every named point and by chance, no run is lost and no checkpointed step runs again",
    ],
    [
      "tests/chaos/engine-postgres.test.ts",
      "killed at every named point and by chance, no run is lost and no checkpointed step runs again",
    ],
    ["tests/chaos/storage.test.ts", " times loses nothing it acknowledged"],
    ["tests/engine/full.test.ts", ": a decision acknowledged while 256 runs are active survives "],
  ),
  row(
    "F2",
    "A disk that fails, is full, read-only or damaged",
    "No false success, 503 and not ready, recovery by itself.",
    [
      "tests/storage/fsync.test.ts",
      "a disk that fails to flush confirms nothing, loses nothing, and is used again when it is well",
    ],
    [
      "tests/storage/sqlite-faults.test.ts",
      "is answered with storage_unavailable and not ready, loses nothing, and passes by itself",
    ],
    [
      "tests/security/faults.test.ts",
      "refuses writes, serves reads, loses nothing, and is used again when it can be written",
    ],
    ["tests/storage/sqlite-faults.test.ts", "because its pages are damaged is found by the check"],
    ["tests/storage/damage.test.ts", "a damaged write-ahead log is refused and reported, and left as it is"],
    ["tests/storage/damage.test.ts", "db check finds changed content and wiped pages in the file"],
  ),
  row(
    "F3",
    "A frozen replica that comes back",
    "It writes nothing and begins no step of a run that is not its own any more.",
    [
      "tests/chaos/engine-postgres.test.ts",
      "a dead and a frozen worker's runs are taken over; the frozen one writes nothing when it returns",
    ],
    [
      "tests/chaos/engine-postgres.test.ts",
      "a worker frozen between two steps with effects does not begin the second when it returns",
    ],
  ),
  row(
    "F4",
    "PostgreSQL that drops connections, restarts, or has no connection left",
    "Nothing is lost; 503 while it is away, and recovery by itself.",
    ["tests/storage/postgres-faults.test.ts", "that drops its connections again and again loses nothing"],
    [
      "tests/storage/postgres-faults.test.ts",
      "that is killed and comes back loses nothing; until then the service answers 503 and lives",
    ],
    [
      "tests/security/faults.test.ts",
      "is answered with 503 and a clear message, loses nothing, and is used again when one is free",
    ],
  ),
  row(
    "F5",
    "A migration that is cut off",
    "Undone or done again.",
    ["tests/storage/sqlite-faults.test.ts", "that were cut off half-way are done again from the start"],
    ["tests/storage/postgres-faults.test.ts", "undoes a migration that fails half-way"],
  ),
  row("F6", "Asked to stop under load", "Requests at hand are answered, the rest find no listener.", [
    "tests/gateway/lifecycle.test.ts",
    "drains: requests at hand are answered, new ones find no listener",
  ]),
  row("F7", "More requests than can be served", "503 with Retry-After, bounded times and memory.", [
    "tests/gateway/limits.test.ts",
    "turns requests away at once when too many are being served",
  ]),
  row("F8", "Random requests", "No crash, no answer of 5xx, no hang.", [
    "tests/gateway/fuzz.test.ts",
    "2,000 made-up requests: no crash, no answer of 5xx, no hang",
  ]),
  row(
    "F9",
    "A clock that is moved by a day",
    "Keys, limits, runs and approvals go on; leases go by the database's clock; a wait is until a time and is looked at again every 5 s.",
    ["tests/security/faults.test.ts", ": keys, limits, runs, waits and approvals go on"],
    [
      "tests/security/faults.test.ts",
      "on one of two replicas: leases go by the database's clock, each step runs once",
    ],
  ),
  row("F10", "An unprivileged user and a read-only root", "One folder for the data is all that is written.", [
    "tests/security/read-only-root.test.ts",
    "runs as an unprivileged user with a read-only root and one folder for its data",
  ]),
];
