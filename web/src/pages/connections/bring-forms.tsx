import { useNavigate, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useMemo, useState } from "react";
import type { SourceSummary } from "../../form-maker/form-worker.ts";
import type { PastedText } from "../../form-maker/pasted-sources.ts";
import { useFormOfPick, type MadeForm } from "../../form-maker/use-form-of.ts";
import { count } from "../../lib/format.ts";
import type { FormDraft } from "../../lib/form-drafts.ts";
import { BusyNote } from "../../ui/busy-note.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { PickList } from "../pick-list.tsx";
import { BroughtForm } from "./brought-form.tsx";

/** The form that is asked for, and while it is being made the one before it. */
function useLast(made: MadeForm, id: string): { readonly made: MadeForm; readonly id: string } {
  const [last, setLast] = useState({ made, id });
  if (!made.busy && last.made !== made) setLast({ made, id });
  return made.busy ? last : { made, id };
}

/** The forms of a text: one, or a list to pick from. */
export function SourceForms({
  own,
  source,
  opened,
}: {
  readonly own: PastedText;
  readonly source: SourceSummary;
  readonly opened: FormDraft | null;
}) {
  const { text } = own;
  const shareText = text.length < 6000 ? text : null;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const pick = (id: string) =>
    void navigate({
      to: ".",
      replace: true,
      hash: true,
      search: (before) => ({ ...before, pick: id }),
    });
  const chosen = source.items.find((item) => item.id === search.pick) ?? source.items[0];
  const chosenId = chosen?.id;
  const wanted = useMemo(() => (chosenId === undefined ? null : { own, id: chosenId }), [own, chosenId]);
  const asked = useFormOfPick(wanted);
  const { made, id } = useLast(asked, chosenId ?? "");
  const shown = source.items.find((item) => item.id === id);
  const isTool = source.kind === "tools";
  const isOne = source.kind === "schema" || source.kind === "sample";
  const body = (
    <div aria-busy={asked.busy}>
      {asked.busy ? <BusyNote>Making the form…</BusyNote> : null}
      {made.form === null ? (
        asked.busy ? null : (
          <Empty icon={<SearchX />} title="No form could be made">
            {made.problem}
          </Empty>
        )
      ) : (
        <div inert={asked.busy}>
          <BroughtForm
            key={made.form.formId + id}
            form={made.form}
            shareText={shareText}
            origin={{
              kind: own.as === "webhook" ? "webhook" : "paste",
              text,
              pick: id,
              beside: own.beside,
            }}
            value={opened?.origin.pick === id ? opened.value : undefined}
            {...(!isOne && { heading: isTool ? id : (shown?.sub ?? "") })}
            {...(isTool && shown !== undefined && shown.sub !== id && { about: shown.sub })}
          />
        </div>
      )}
    </div>
  );
  if (source.items.length <= 1) return <Panel title={source.title}>{body}</Panel>;
  const noun = isTool ? "tool" : source.kind === "asyncapi" ? "message" : "operation";
  return (
    <Panel title={`${source.title} · ${count(source.items.length, noun)}`} flush>
      <PickList items={source.items} chosen={chosen?.id ?? ""} noun={noun} onPick={pick}>
        {body}
      </PickList>
    </Panel>
  );
}
