import { isObject } from "#kernel/json.ts";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { Archive, FilePlus2, HardDrive, Server, Share2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { listDrafts, saveDraft } from "../../lib/drafts.ts";
import { fromFragment } from "../../lib/fragment.ts";
import { ago, words } from "../../lib/format.ts";
import { textAt } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { contentOf } from "./artifact-members.ts";

/** Drafts that live in this browser, and artifacts the server keeps. */
export function ArtifactsPage() {
  const drafts = useQuery({ queryKey: ["drafts"], queryFn: listDrafts });
  const saved = useOperation("list_artifacts", {});
  const navigate = useNavigate();
  const create = () =>
    void saveDraft({ title: "Untitled", type: "note", content: { text: "" } }).then((id) =>
      navigate({ to: "/artifacts/$id", params: { id } }),
    );
  return (
    <Page
      title="Artifacts"
      lead="Drafts stay in this browser until you save, export or share them. Saved ones are on the server, with every version."
      actions={
        <Button look="primary" onClick={create}>
          <FilePlus2 /> New draft
        </Button>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={<Heading icon={<HardDrive />} text="On this device" />} flush>
          {(drafts.data ?? []).length === 0 ? (
            <Empty icon={<Archive />} title="No drafts" action={<Button onClick={create}>New draft</Button>}>
              Keep a tool's call or result, or write one here. Nothing leaves this browser by itself.
            </Empty>
          ) : (
            <RowList>
              {(drafts.data ?? []).map((draft) => (
                <Row
                  key={draft.id}
                  link={
                    draft.type === "workflow"
                      ? { to: "/workflows/$id", params: { id: draft.id } }
                      : { to: "/artifacts/$id", params: { id: draft.id } }
                  }
                  title={draft.title}
                  sub={`Changed ${ago(draft.updatedAt)}${draft.versions.length > 0 ? ` · ${draft.versions.length + 1} versions` : ""}`}
                  end={<Badge>{words(draft.type).toLowerCase()}</Badge>}
                />
              ))}
            </RowList>
          )}
        </Panel>
        <Panel title={<Heading icon={<Server />} text="Saved on the server" />} flush>
          <Load query={saved}>
            {(data) =>
              data.artifacts.length === 0 ? (
                <Empty icon={<Server />} title="Nothing saved that you may see">
                  Guests see only public artifacts.
                </Empty>
              ) : (
                <RowList>
                  {data.artifacts.map((item) => (
                    <Row
                      key={item.id}
                      link={{ to: "/artifacts/$id", params: { id: item.id } }}
                      title={item.title ?? (item.redacted !== "" ? "Private artifact" : "Untitled")}
                      sub={`Version ${item.version ?? 1} · saved ${ago(item.updatedAt)}`}
                      end={<Badge>{words(item.type ?? "artifact").toLowerCase()}</Badge>}
                    />
                  ))}
                </RowList>
              )
            }
          </Load>
        </Panel>
      </div>
      <Shared />
    </Page>
  );
}

function Heading({ icon, text }: { readonly icon: React.ReactNode; readonly text: string }) {
  return (
    <span className="flex items-center gap-2 [&_svg]:size-4 [&_svg]:text-ink-3">
      {icon}
      {text}
    </span>
  );
}

/** An artifact that came in a link: shown before anything is kept. */
function Shared() {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const { view } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [shared, setShared] = useState<unknown>(undefined);
  useEffect(() => {
    if (view === "shared") setShared(fromFragment(hash, "artifact"));
  }, [hash, view]);
  if (!isObject(shared)) return null;
  const close = () => {
    setShared(undefined);
    void navigate({ to: "/artifacts", search: {} });
  };
  const keep = () =>
    void saveDraft({
      title: textAt(shared, "title", "Shared artifact"),
      type: textAt(shared, "type", "note"),
      content: contentOf(shared),
    }).then((id) => {
      toast("good", "Kept as a draft on this device");
      return navigate({ to: "/artifacts/$id", params: { id } });
    });
  return (
    <Dialog
      open
      onClose={close}
      title={textAt(shared, "title", "Shared artifact")}
      description="This came inside the link. It is on no server, and it is not kept unless you say so."
      footer={
        <>
          <Button onClick={close}>Discard</Button>
          <Button look="primary" onClick={keep}>
            <Share2 /> Keep as a draft
          </Button>
        </>
      }
    >
      <DataView value={contentOf(shared)} />
    </Dialog>
  );
}
