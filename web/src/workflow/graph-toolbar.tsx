import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { ArrowLeft, PanelLeft, Plus, StickyNote, WandSparkles } from "lucide-react";
import { setExpertView, useExpertView } from "./expert-view.ts";

interface Props {
  /** The title of the map whose body is shown; null for the whole workflow. */
  readonly bodyOf: string | null;
  readonly isCanvas: boolean;
  /** Steps were moved by hand, so that they can be tidied up. */
  readonly isPlaced: boolean;
  readonly wide: boolean;
  readonly listed: boolean;
  readonly onListed: (listed: boolean) => void;
  readonly onWhole: () => void;
  readonly onAdd: () => void;
  readonly onNote: () => void;
  readonly onTidy: () => void;
  readonly onView: (view: "canvas" | "outline") => void;
}

/** What stands above the graph. */
export function GraphToolbar(props: Props) {
  const { bodyOf, isCanvas, isPlaced, wide, listed } = props;
  const isExpert = useExpertView();
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      {bodyOf === null ? null : (
        <Button size="sm" look="ghost" onClick={props.onWhole}>
          <ArrowLeft /> Whole workflow
        </Button>
      )}
      <Button size="sm" look="primary" onClick={props.onAdd}>
        <Plus /> Add step
      </Button>
      {bodyOf === null ? null : <span className="text-sm text-ink-2">Steps for each item of {bodyOf}</span>}
      <span className="flex-1" />
      {isCanvas && wide ? (
        <>
          <IconButton
            label={listed ? "Hide the list of steps" : "Show the list of steps"}
            aria-pressed={listed}
            onClick={() => props.onListed(!listed)}
          >
            <PanelLeft />
          </IconButton>
          <IconButton label="Add a note" onClick={props.onNote}>
            <StickyNote />
          </IconButton>
        </>
      ) : null}
      {isCanvas && isPlaced ? (
        <IconButton label="Tidy up" onClick={props.onTidy}>
          <WandSparkles />
        </IconButton>
      ) : null}
      <label className="flex min-h-7 items-center gap-1.5 text-sm text-ink-2">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isExpert}
          checked={isExpert}
          onChange={(event) => setExpertView(event.target.checked)}
        />
        Expert view
      </label>
      <Segmented
        label="Show the graph as"
        value={isCanvas ? "canvas" : "outline"}
        onChange={props.onView}
        options={[
          { value: "canvas", label: "Canvas" },
          { value: "outline", label: "Outline" },
        ]}
      />
    </div>
  );
}
