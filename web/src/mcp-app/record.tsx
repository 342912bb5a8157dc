import { isObject } from "#kernel/json.ts";
import { listAt, objectAt, objectsAt, textAt, type JsonRecord } from "../lib/read.ts";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { DataView } from "../ui/data-view.tsx";

/** What a tool of the endpoint for agents answered: a plan, a run or an approval as a card. */
export function RecordCard({ data }: { readonly data: JsonRecord }) {
  const link = textAt(data, "link");
  return (
    <div className="space-y-3 p-4">
      {isObject(data["plan"]) ? <Plan data={data} /> : null}
      {isObject(data["run"]) ? <Run run={data["run"]} /> : null}
      {isObject(data["approval"]) ? <Approval approval={data["approval"]} /> : null}
      {link === "" ? null : (
        <p className="text-sm break-all text-ink-2">
          Open it: <a href={link}>{link}</a>
        </p>
      )}
    </div>
  );
}

/** True for data that a card shows. */
export function hasCard(data: JsonRecord): boolean {
  return ["plan", "run", "approval"].some((member) => isObject(data[member]));
}

function Plan({ data }: { readonly data: JsonRecord }) {
  const approvals = objectsAt(data, "plan", "approvals");
  return (
    <section>
      <h1 className="font-medium">{textAt(data, "name", "Plan")}</h1>
      <ol className="my-2 list-decimal pl-6">
        {listAt(data, "plan", "levels").map((level, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- levels have no other name and never move
          <li key={index}>{Array.isArray(level) ? level.join(", ") : ""}</li>
        ))}
      </ol>
      <DataView value={objectAt(data, "plan", "effects")} />
      {approvals.length === 0 ? null : (
        <p className="mt-2">
          Waits for a person at{" "}
          {approvals.map((one) => textAt(one, "title", textAt(one, "stepId"))).join(", ")}.
        </p>
      )}
    </section>
  );
}

function Run({ run }: { readonly run: JsonRecord }) {
  return (
    <section>
      <h1 className="font-medium">
        Run {textAt(run, "id")} <StateBadge state={textAt(run, "status")} />
      </h1>
      <ol className="my-2 space-y-1">
        {objectsAt(run, "steps").map((step) => (
          <li key={textAt(step, "id")} className="flex items-center gap-2">
            <StateBadge state={textAt(step, "status")} /> {textAt(step, "id")}
          </li>
        ))}
      </ol>
      {objectsAt(run, "approvals").map((one) => (
        <p key={textAt(one, "id")}>
          <Badge tone="warn">Waiting for approval</Badge> {textAt(one, "title")}:{" "}
          <a href={textAt(one, "link")}>{textAt(one, "link")}</a>
        </p>
      ))}
      {isObject(run["outputs"]) ? <DataView value={run["outputs"]} /> : null}
    </section>
  );
}

function Approval({ approval }: { readonly approval: JsonRecord }) {
  return (
    <section>
      <h1 className="font-medium">
        {textAt(approval, "title", textAt(approval, "id"))} <StateBadge state={textAt(approval, "status")} />
      </h1>
      {isObject(approval["shown"]) ? <DataView value={approval["shown"]} /> : null}
    </section>
  );
}
