import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Activity, ArrowLeft, Check, Pencil, Plug, RefreshCw, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type Connection, type Definition, type JsonObject } from "@workflow-ui/client";
import { addressOf, changeConnection, writtenRequests } from "../../api/connections.ts";
import { useOperation } from "../../api/operations.ts";
import { ago, count, duration } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { toast } from "../../shell/notices.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { OperateDefinition } from "./connection-operate.tsx";
import { effectWord } from "./definition-effect.tsx";
import { Review } from "./connection-review.tsx";
import { Health, KIND_WORDS } from "./connections.tsx";
import { PickList } from "../pick-list.tsx";
import { Problems } from "../../ui/problems.tsx";
import { useAction } from "../../lib/use-action.ts";
import { errorText } from "../../lib/error-text.ts";
import { Confirm } from "../../ui/confirm.tsx";

const RequestsEditor = lazy(() =>
  import("./connection-requests.tsx").then((module) => ({ default: module.RequestsEditor })),
);

/** One connection: its health, its definitions, and the picked one as a form. */
export function ConnectionPage() {
  const { name = "" } = useParams({ strict: false });
  const query = useOperation("get_connection", { name });
  return (
    <Page
      wide
      title={query.data?.connection.title ?? name}
      back={
        <Link to="/connections" className="mb-2 inline-flex min-h-6 items-center gap-1 text-sm text-ink-2">
          <ArrowLeft aria-hidden className="size-4" /> Connections
        </Link>
      }
      lead={query.data === undefined ? undefined : <About connection={query.data.connection} />}
      actions={query.data === undefined ? undefined : <Actions connection={query.data.connection} />}
    >
      <Load query={query}>
        {({ definitions }) => <Definitions connection={name} definitions={definitions} />}
      </Load>
    </Page>
  );
}

function About({ connection }: { readonly connection: Connection }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="font-mono text-sm break-all">{addressOf(connection)}</span>
      <span>{KIND_WORDS[connection.kind] ?? connection.kind}</span>
      {connection.credential === null ? null : <span>credential {connection.credential}</span>}
      {connection.syncedAt === null ? null : <span>read {ago(connection.syncedAt)}</span>}
      {connection.checkedAt === null ? null : <span>last contact {ago(connection.checkedAt)}</span>}
      <Health connection={connection} />
      {connection.problem === null ? null : <span className="basis-full text-bad">{connection.problem}</span>}
    </span>
  );
}

function Actions({ connection }: { readonly connection: Connection }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { name } = connection;
  const sync = useMutation({
    mutationFn: () => changeConnection("sync_connection", { name }),
    onSuccess: ({ added, changed, removed }) => {
      const changes = added.length + changed.length + removed.length;
      toast("good", changes === 0 ? "Nothing has changed" : `${count(changes, "definition")} differ`);
    },
    onError: (error) => toast("bad", "It could not be read", errorText(error)),
  });
  const remove = useMutation({
    mutationFn: () => changeConnection("remove_connection", { name }),
    onSuccess: () => {
      toast("good", `Removed ${name}`);
      return navigate({ to: "/connections" });
    },
    onError: (error) => toast("bad", "It was not removed", errorText(error)),
  });
  return (
    <>
      {connection.kind === "http" ? <EditRequests name={connection.name} /> : null}
      <TestButton connection={connection} />
      <ButtonFor op="sync_connection" busy={sync.isPending} onClick={() => sync.mutate()}>
        <RefreshCw /> Refresh
      </ButtonFor>
      <ButtonFor op="remove_connection" look="danger" onClick={() => setAsking(true)}>
        <Trash2 /> Remove
      </ButtonFor>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Remove ${connection.title}?`}
        description="Its definitions and call history go too. Workflows that use it will not validate. Credentials stay."
        act={
          <>
            <Trash2 /> Remove
          </>
        }
        busy={remove.isPending}
        onAct={() => remove.mutate()}
      >
        <p className="font-mono text-sm break-all">{addressOf(connection)}</p>
      </Confirm>
    </>
  );
}

/** Asks the server whether it answers, and says how long that took. */
function TestButton({ connection }: { readonly connection: Connection }) {
  const test = useMutation({
    mutationFn: () => changeConnection("test_connection", { name: connection.name }),
    onSuccess: ({ test: { elapsedMs, problem, drift } }) => {
      const took = duration(elapsedMs);
      const differ =
        drift === undefined ? 0 : drift.added.length + drift.changed.length + drift.removed.length;
      if (problem !== null) toast("bad", `No good answer after ${took}`, problem);
      else if (differ > 0)
        toast("info", `It answered in ${took}`, `${count(differ, "definition")} differ: refresh it.`);
      else toast("good", `It answered in ${took}`);
    },
    onError: (error) => toast("bad", "It was not tested", errorText(error)),
  });
  return (
    <ButtonFor op="test_connection" busy={test.isPending} onClick={() => test.mutate()}>
      <Activity /> Test
    </ButtonFor>
  );
}

/** Changes the requests of a connection that a person wrote; what differs waits for review like any other change. */
function EditRequests({ name }: { readonly name: string }) {
  const [requests, setRequests] = useState<readonly JsonObject[] | null>(null);
  const open = () =>
    void writtenRequests(name).then(setRequests, (error: unknown) =>
      toast("bad", "They could not be read", errorText(error)),
    );
  const save = useMutation({
    mutationFn: () => changeConnection("update_connection", { name, document: JSON.stringify({ requests }) }),
    onSuccess: () => {
      toast("good", "Requests changed");
      setRequests(null);
    },
  });
  return (
    <>
      <ButtonFor op="update_connection" onClick={open}>
        <Pencil /> Edit requests
      </ButtonFor>
      <Dialog
        open={requests !== null}
        onClose={() => setRequests(null)}
        title="Requests"
        description="New and changed requests wait for review before they can be called."
        className="sm:w-[min(50rem,94vw)]"
        footer={
          <Button look="primary" busy={save.isPending} onClick={() => save.mutate()}>
            <Check /> Save requests
          </Button>
        }
      >
        <Suspense fallback={null}>
          <RequestsEditor requests={requests ?? []} onChange={setRequests} />
        </Suspense>
        <Problems of={save.error} />
      </Dialog>
    </>
  );
}

function Definitions({
  connection,
  definitions,
}: {
  readonly connection: string;
  readonly definitions: readonly Definition[];
}) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const acceptAll = useAction({
    title: "Accept definitions",
    failed: "Not accepted",
    run: () => changeConnection("accept_definitions", { name: connection }),
    done: () => "All accepted",
  });
  const shown = definitions.filter(({ state }) => state !== "removed");
  const waiting = shown.filter(({ state }) => state === "quarantined");
  // What is opened without being asked for only reads, where there is such a thing.
  const picked =
    shown.find(({ name }) => name === search.pick) ??
    shown.find(({ effect }) => effect === "read") ??
    shown[0];
  if (picked === undefined)
    return (
      <Panel>
        <Empty icon={<Plug />} title="It offers nothing that can be called">
          The source was read, and no operation was found in it.
        </Empty>
      </Panel>
    );
  return (
    <div className="space-y-5">
      {waiting.length === 0 ? null : (
        <Panel
          title={`${count(waiting.length, "definition")} to review`}
          actions={
            <ButtonFor
              op="accept_definitions"
              size="sm"
              busy={acceptAll.isPending}
              onClick={() => acceptAll.mutate()}
            >
              <Check /> Accept all
            </ButtonFor>
          }
        >
          <Review connection={connection} definitions={waiting} />
        </Panel>
      )}
      <Panel flush>
        <PickList
          noun="operation"
          chosen={picked.name}
          onPick={(pick) =>
            void navigate({
              to: ".",
              replace: true,
              search: (before) => ({ ...before, pick, tab: undefined }),
            })
          }
          items={shown.map((item) => ({
            id: item.name,
            title: item.title,
            sub: `${item.name} · ${effectWord(item.effect)}${item.state === "active" ? "" : ` · ${item.state === "quarantined" ? "to review" : item.state}`}`,
          }))}
        >
          <OperateDefinition key={picked.id} connection={connection} name={picked.name} />
        </PickList>
      </Panel>
    </div>
  );
}
