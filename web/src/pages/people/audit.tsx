import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download, ListChecks, ShieldCheck, X } from "lucide-react";
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { readAnswer, requestOf, type AuditEntry, type InputOf, type JsonObject } from "@workflow-ui/client";
import { SCOPE_WORDS, SCOPES } from "#model/scopes.ts";
import { useOperation } from "../../api/operations.ts";
import { reach } from "../../api/rpc.ts";
import { session } from "../../api/session.ts";
import { download } from "../../lib/clipboard.ts";
import { dayAfter, formTexts } from "../../lib/filters.ts";
import { useExternal } from "../../lib/external.ts";
import { ago, fullTime, words } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { useMay } from "../../api/rights.ts";
import { Load, OnlyFor } from "../../shell/states.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { InputField, SelectField } from "../../ui/fields.tsx";

/** What the address of the page asks for. */
interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Who did what when, with filters that are part of the address. */
export function AuditPage() {
  const search: AuditSearch = useSearch({ strict: false });
  const { actor, action, subject, from, until, cursor } = search;
  const filters = { actor, action, subject, from, until };
  const may = useMay("list_audit");
  const answer = useOperation("list_audit", inputOf({ ...filters, cursor }), { enabled: may });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      title="Audit"
      lead="Who did what when: everything that changes rights, sign-ins and decisions. Entries are never changed."
      actions={may ? <ExportButton path={requestOf("export_audit", inputOf(filters)).address} /> : undefined}
    >
      <OnlyFor op="list_audit">
        <div className="mb-4 sm:panel sm:p-4">
          <Filters used={Object.values(filters).filter((value) => value !== undefined).length}>
            {(close) => <FilterForm key={JSON.stringify(filters)} filters={filters} onSent={close} />}
          </Filters>
        </div>
        <Panel flush>
          <Load query={answer}>
            {({ entries, nextCursor }) => {
              if (entries.length === 0) {
                return (
                  <Empty
                    icon={<ListChecks />}
                    title={isFiltered ? "Nothing matches these filters" : "Nothing has happened yet"}
                    action={
                      isFiltered ? (
                        <Link to="/audit" className={buttonClass()}>
                          Show everything
                        </Link>
                      ) : undefined
                    }
                  >
                    {isFiltered
                      ? "Take a filter away, or choose other days."
                      : "Invitations, roles, keys, sign-ins and decisions will be listed here."}
                  </Empty>
                );
              }
              return (
                <>
                  <ul className="divide-y divide-line">
                    {entries.map((entry) => (
                      <Entry key={entry.id} entry={entry} filters={filters} />
                    ))}
                  </ul>
                  {cursor === undefined && nextCursor === null ? null : (
                    <nav aria-label="More entries" className="flex flex-wrap gap-2 border-t border-line p-3">
                      {cursor === undefined ? null : (
                        <Link to="/audit" search={filters} className={buttonClass()}>
                          Newest
                        </Link>
                      )}
                      {nextCursor === null ? null : (
                        <Link
                          to="/audit"
                          search={{ ...filters, cursor: nextCursor }}
                          className={buttonClass()}
                        >
                          Older
                        </Link>
                      )}
                    </nav>
                  )}
                </>
              );
            }}
          </Load>
        </Panel>
      </OnlyFor>
    </Page>
  );
}

/** What the service is asked for; a day that is the last one wanted becomes the beginning of the next. */
function inputOf({ until, ...rest }: AuditSearch): InputOf<"list_audit"> {
  return { ...rest, ...(until !== undefined && { to: dayAfter(until) }) };
}

/** A signed-in browser saves the file as it arrives; with a key it is fetched first, because a link carries none. */
function ExportButton({ path }: { readonly path: string }) {
  const { person } = useExternal(session);
  const fetchIt = useMutation({
    mutationFn: async () => {
      const response = await reach(path, {}, true);
      const text = await response.text();
      const refusal = response.ok ? null : readAnswer(text, response.status).refusal;
      if (refusal !== null) throw refusal;
      download("audit.jsonl", text, "application/jsonl");
    },
    onError: (error) => toast("bad", "The export failed", error.message),
  });
  if (person !== null) {
    return (
      <a href={path} download="audit.jsonl" className={buttonClass()}>
        <Download /> Export as JSON lines
      </a>
    );
  }
  return (
    <Button busy={fetchIt.isPending} onClick={() => fetchIt.mutate()}>
      <Download /> Export as JSON lines
    </Button>
  );
}

function FilterForm({ filters, onSent }: { readonly filters: AuditSearch; readonly onSent: () => void }) {
  const navigate = useNavigate();
  const { data } = useOperation("list_audit_actions", {}, { staleTime: Number.POSITIVE_INFINITY });
  const { actions = [], kinds = [] } = data ?? {};
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSent();
    const given = formTexts(event.currentTarget, ["actor", "action", "from", "until"]);
    void navigate({ to: "/audit", search: { ...given, subject: filters.subject } });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <InputField
        label="Who"
        className="min-w-0 flex-1 basis-56"
        name="actor"
        data-page-search
        defaultValue={filters.actor}
        spellCheck={false}
        placeholder="E-mail address or id"
      />
      <SelectField
        label="What"
        className="min-w-0 flex-1 basis-56"
        name="action"
        key={actions.length}
        defaultValue={filters.action ?? ""}
      >
        <option value="">Everything</option>
        {kinds.map((kind) => (
          <optgroup key={kind} label={words(kind.slice(0, -2))}>
            <option value={kind}>{`${words(kind.slice(0, -2))}: all`}</option>
            {actions
              .filter(({ name }) => name.startsWith(kind.slice(0, -1)))
              .map(({ name, what }) => (
                <option key={name} value={name}>
                  {what}
                </option>
              ))}
          </optgroup>
        ))}
      </SelectField>
      <InputField label="From day (UTC)" look="w-40" name="from" type="date" defaultValue={filters.from} />
      <InputField label="To day (UTC)" look="w-40" name="until" type="date" defaultValue={filters.until} />
      <Button type="submit" look="primary">
        Filter
      </Button>
      {filters.subject === undefined ? null : (
        <p className="flex w-full min-w-0 items-center gap-2 text-sm">
          <span className="truncate">
            Only what was done to <code>{filters.subject}</code>
          </span>
          <Link
            to="/audit"
            search={{ ...filters, subject: undefined }}
            aria-label="Take this filter away"
            className={buttonClass("ghost", "sm")}
          >
            <X />
          </Link>
        </p>
      )}
    </form>
  );
}

function Entry({ entry, filters }: { readonly entry: AuditEntry; readonly filters: AuditSearch }) {
  const { actor, subject, time, whom, detail, provenanceId } = entry;
  const { before, after } = sentenceOf(entry);
  const link = "underline decoration-line underline-offset-2 hover:decoration-current";
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
      <p className="min-w-0 flex-1 basis-72 break-words">
        <Link
          to="/audit"
          search={{ ...filters, actor: actor.id }}
          title="Only what this one did"
          className={`font-medium ${link}`}
        >
          {actor.name}
        </Link>{" "}
        {before}
        {after === null ? null : (
          <>
            {" "}
            <Link
              to="/audit"
              search={{ ...filters, subject: subject.id }}
              title="Only what was done to this"
              className={link}
            >
              {subject.name}
            </Link>
            {after}
          </>
        )}
        <Details detail={whom === undefined ? detail : { ...detail, to: null }} />
      </p>
      <p className="flex items-baseline gap-3 text-sm text-ink-2">
        <time dateTime={time} title={fullTime(time)}>
          {ago(time)}
        </time>
        {provenanceId === null ? null : (
          <Link
            to="/provenance"
            search={{ by: "recordId", value: provenanceId }}
            className={`inline-flex min-h-6 items-center gap-1 ${link}`}
          >
            <ShieldCheck className="size-4" aria-hidden /> Record
          </Link>
        )}
      </p>
    </li>
  );
}

/** What the records of the service are called in the words of the actions. */
const NOUNS: Readonly<Record<string, string>> = {
  people: "a person",
  groups: "a group",
  keys: "an API key",
  credentials: "a credential",
  connections: "a connection",
  workflows: "a workflow",
  triggers: "a trigger",
  runs: "a run",
  approvals: "an approval",
  clients: "a client",
};

/** What was done, around the name of what it was done to; `after` is null where the sentence needs no name. */
function sentenceOf({ actor, subject, what, whom }: AuditEntry): {
  readonly before: string;
  readonly after: string | null;
} {
  const [folder = "", id] = subject.id.split("/");
  const isSelf = folder === "people" && id === actor.id;
  const [alone = what, other = alone] = what.split(", or ");
  const phrase = isSelf ? alone : other;
  // There is one of it; the rest of its id is a revision.
  if (["guard", "policy", "toolsets"].includes(folder)) return { before: phrase, after: null };
  const noun = NOUNS[folder] ?? "";
  const at = noun === "" ? -1 : phrase.lastIndexOf(noun);
  if (at === -1)
    return isSelf
      ? { before: whom === undefined ? phrase : `${phrase}: ${whom}`, after: null }
      : { before: `${phrase}:`, after: "" };
  const begins = phrase.slice(0, at).trimEnd();
  // A run has no name: its workflow has.
  if (folder === "runs") return { before: `${begins} a run of`, after: "" };
  const name = noun.slice(noun.indexOf(" "));
  const ends = phrase.slice(at + noun.length);
  return {
    before: `${whom === undefined ? begins : begins.replace("a person", whom)}${folder === "people" ? "" : ` the${name}`}`,
    after: whom === undefined || begins.includes("a person") ? ends : `${ends} to ${whom}`,
  };
}

/** What says most of an entry, in the order of interest. */
const TELLING = [
  "role",
  "state",
  "scopes",
  "why",
  "method",
  "address",
  "to",
  "definition",
  "action",
  "origin",
];

function Details({ detail }: { readonly detail: JsonObject }) {
  const facts = TELLING.flatMap((name) => {
    const value = detail[name];
    if (name === "scopes") {
      const rights = SCOPES.filter((scope) => Array.isArray(value) && value.includes(scope));
      return rights.length === 0 ? [] : [`may ${rights.map((scope) => SCOPE_WORDS[scope]).join(", ")}`];
    }
    const text = Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : "";
    return text === "" ? [] : [`${name} ${text}`];
  });
  return facts.length === 0 ? null : (
    <span className="block text-sm text-ink-2">{facts.join(" · ").slice(0, 300)}</span>
  );
}
