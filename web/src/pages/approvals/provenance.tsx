import type { Anchor, ProofVerdict, ProvenanceRecord } from "@workflow-ui/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, CircleX, Download, Search, ShieldCheck } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { useOperation } from "../../api/operations.ts";
import { download } from "../../lib/clipboard.ts";
import { ago, count, fullTime, shortId } from "../../lib/format.ts";
import { useMedia } from "../../lib/media.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { InputField, SelectField } from "../../ui/fields.tsx";

const BY = [
  { value: "recordId", label: "Record id" },
  { value: "hash", label: "Digest" },
  { value: "runId", label: "Run" },
  { value: "workflowId", label: "Workflow" },
  { value: "artifactId", label: "Artifact" },
  { value: "delegationId", label: "Handoff" },
  { value: "formId", label: "Form" },
  { value: "url", label: "Address" },
] as const;

/** From this width on a record is checked beside the list. */
const ROOM = "64rem";

/** Look a record up, and check it part by part. */
export function ProvenancePage() {
  const search = useSearch({ strict: false });
  const by = BY.find((one) => one.value === search.by)?.value ?? "runId";
  const value = search.value ?? "";
  return (
    <Page
      title="Provenance"
      lead="What this service recorded of what happened: signed where people exchange it, provable by inclusion in an append-only log."
    >
      <Panel className="mb-4">
        <LookUp key={by + value} by={by} value={value} />
      </Panel>
      {value === "" ? <Fingerprints /> : <Records by={by} value={value} />}
    </Page>
  );
}

function LookUp({ by, value }: { readonly by: string; readonly value: string }) {
  const navigate = useNavigate();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => {
      const given = data.get(name);
      return typeof given === "string" ? given.trim() : "";
    };
    void navigate({
      to: "/provenance",
      search: text("value") === "" ? {} : { by: text("by"), value: text("value") },
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <SelectField label="Look up by" look="w-36" name="by" defaultValue={by} options={BY} />
      <InputField
        label="Value"
        className="min-w-0 flex-1 basis-64"
        look="font-mono"
        name="value"
        data-page-search
        defaultValue={value}
        spellCheck={false}
        placeholder="run_…, sha256:…, https://…"
      />
      <Button type="submit" look="primary">
        <Search /> Look up
      </Button>
    </form>
  );
}

function Records({ by, value }: { readonly by: string; readonly value: string }) {
  const found = useOperation("lookup_svc_provenance", { [by]: value });
  const [chosen, setChosen] = useState("");
  const hasRoom = useMedia(`(min-width: ${ROOM})`);
  return (
    <Load query={found}>
      {({ records }) => {
        // Without room beside the list, only a record that stands alone is open from the start.
        const first = hasRoom || records.length === 1 ? records[0] : undefined;
        const id = chosen === "" ? (first?.recordId ?? "") : chosen;
        if (records.length === 0) {
          return (
            <Panel>
              <Empty icon={<ShieldCheck />} title="No record matches">
                Records that are not public are found by callers with a key. A missing record proves nothing
                either way.
              </Empty>
            </Panel>
          );
        }
        return (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]">
            <Panel title={records.length === 1 ? "1 record" : `${records.length} records`} flush>
              <ul className="divide-y divide-line">
                {records.map((record) => {
                  const { recordId: key } = record;
                  const subject = subjectOf(record);
                  return (
                    <li key={key}>
                      <button
                        type="button"
                        aria-pressed={key === id}
                        onClick={() => setChosen(key)}
                        className="block w-full px-4 py-2.5 text-left hover:bg-hover focus-visible:-outline-offset-2 aria-pressed:bg-accent-soft"
                      >
                        <span className="flex items-center gap-2">
                          <span className="min-w-0 flex-1 truncate font-medium">
                            {record.kind.replaceAll("_", " ")}
                          </span>
                          <Badge>{record.privacy}</Badge>
                        </span>
                        <span className="block truncate text-sm text-ink-2">
                          {subject !== "" && (
                            <>
                              <span className="font-mono">{subject}</span> ·{" "}
                            </>
                          )}
                          {ago(record.recordedAt)}
                        </span>
                      </button>
                    </li>
                  );
                })}
              </ul>
            </Panel>
            {chosen === "" || hasRoom ? (
              <Verdicts id={id} />
            ) : (
              <Sheet title="Verification" from={ROOM} onClose={() => setChosen("")} inline={null}>
                <Verification id={id} />
              </Sheet>
            )}
          </div>
        );
      }}
    </Load>
  );
}

/** A step is named by its id, a document by its path, anything else by a shortened id; what may not be seen by nothing. */
function subjectOf({ kind, subjectId: subject = "" }: ProvenanceRecord): string {
  if (kind === "step") return subject.slice(subject.indexOf("/") + 1);
  return URL.canParse(subject) ? new URL(subject).pathname : shortId(subject);
}

const MEANING: Readonly<Record<string, string>> = {
  digest: "The record's text hashes to what the log holds, and says what the record says.",
  signature: "The statement was signed, and the signature matches its bytes.",
  key: "The key that signed is one this service publishes, and was valid then.",
  inclusion: "The record is a leaf of the log under a signed checkpoint.",
  anchor: "Someone outside this service vouches for the log. Only an external receipt can show that.",
  assertion: "The person who decided signed what was shown, and the decision, with a passkey.",
};

function Verdicts({ id }: { readonly id: string }) {
  if (id === "") return null;
  return (
    <Panel title="Verification">
      <Verification id={id} />
    </Panel>
  );
}

function Verification({ id }: { readonly id: string }) {
  const verdict = useOperation("verify_svc_provenance", { recordId: id });
  return (
    <Load query={verdict}>
      {(data) => (
        <>
          <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
            <p className="font-medium">
              {data.verified
                ? "Everything that could be checked passed."
                : "Not verified: at least one check did not pass."}
            </p>
            {data.proof === null ? null : (
              <Button
                size="sm"
                onClick={() => download(`${id}.proof.json`, JSON.stringify(data.proof, null, 2))}
              >
                <Download /> Proof
              </Button>
            )}
          </div>
          <ul className="mb-4 space-y-2.5">
            {Object.entries(data.verdicts).map(([name, item]) => (
              <VerdictRow key={name} name={name} item={item} />
            ))}
          </ul>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">Record</h3>
          <DataView value={data.record} />
        </>
      )}
    </Load>
  );
}

function VerdictRow({ name, item }: { readonly name: string; readonly item: ProofVerdict }) {
  const { verdict, detail } = item;
  const icon =
    verdict === "pass" ? (
      <CircleCheck className="text-good" />
    ) : verdict === "fail" ? (
      <CircleX className="text-bad" />
    ) : (
      <CircleDashed className="text-ink-3" />
    );
  return (
    <li className="flex gap-2.5 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {icon}
      <div>
        <p className="font-medium">
          {name.charAt(0).toUpperCase() + name.slice(1)}: {verdict.replaceAll("_", " ")}
        </p>
        <p className="text-sm wrap-anywhere text-ink-2">{detail}</p>
        {MEANING[name] === undefined ? null : <p className="text-xs text-ink-3">{MEANING[name]}</p>}
      </div>
    </li>
  );
}

function Fingerprints() {
  const list = useOperation("list_svc_fingerprints", {});
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
      <Panel title="Public fingerprints" flush>
        <Load query={list}>
          {(data) => (
            <ul className="divide-y divide-line">
              {data.fingerprints.map((item) => (
                <li key={item.subject + item.digest} className="px-4 py-2">
                  <span className="flex items-center gap-2">
                    <span className="min-w-0 flex-1 truncate font-medium">{item.subject}</span>
                    <NotAnchored anchor={item.anchor} />
                  </span>
                  <span className="block truncate font-mono text-xs text-ink-3">{item.digest}</span>
                </li>
              ))}
            </ul>
          )}
        </Load>
      </Panel>
      <Panel title="The log">
        <Load query={list}>
          {({ log }) => (
            <div className="space-y-2">
              <p>
                {count(log.size, "record")}
                {log.checkpoint === null ? "" : `, checkpoint of ${fullTime(log.checkpoint.createdAt)}`}
              </p>
              <DataView value={log} />
            </div>
          )}
        </Load>
      </Panel>
    </div>
  );
}

function NotAnchored({ anchor }: { readonly anchor: Anchor }) {
  return (
    <Badge title="No external receipt exists">{anchor.eligible ? "not anchored" : "not eligible"}</Badge>
  );
}
