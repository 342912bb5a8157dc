import { createContext, useContext } from "react";
import type { Place, DraftNode } from "../document/model.ts";
import type { Note } from "./notes.ts";

/** How the browser names what is dragged from the list of steps to the canvas. */
export const STEP_MIME = "application/x-workflow-step";

/** What a run or a dry run says about a step on the canvas. */
export interface Mark {
  readonly state: string;
  /** A few words beside the state, such as that a write was blocked. */
  readonly note?: string;
}

/** What steps and edges on the canvas share. */
export interface CanvasScope {
  readonly editable: boolean;
  /** Zoomed out so far that ports and buttons could not be distinguished; they are left out. */
  readonly isFar: boolean;
  /** Ports that an edge leaves by, as `step port`. */
  readonly used: ReadonlySet<string>;
  /** Steps that an edge leads to. */
  readonly entered: ReadonlySet<string>;
  /** What passed each edge, by its id. */
  readonly passed: ReadonlyMap<string, string>;
  readonly onAdd: (where: Place) => void;
  readonly onCut: (edge: string) => void;
  readonly onMenu: (id: string, x: number, y: number) => void;
  readonly onOpenBody: (id: string) => void;
  readonly onNote: (note: Note) => void;
  readonly onNoteGone: (id: string) => void;
  readonly nodeOf: (id: string) => DraftNode | undefined;
}

/** The canvas that steps and edges belong to. */
export const CanvasContext = createContext<CanvasScope | null>(null);

/** The canvas this is drawn on. */
export function useCanvas(): CanvasScope {
  const scope = useContext(CanvasContext);
  if (scope === null) throw new Error("A part of the canvas was drawn outside it.");
  return scope;
}

/** A tool or a kind of step that is dragged. */
export interface DraggedStep {
  readonly name: string;
  readonly title: string;
}

/** Gives a tool or a kind of step to the pointer. */
export function dragStep(data: DataTransfer, name: string, title: string): void {
  data.setData(STEP_MIME, `${name} ${title}`);
}

/** What {@link dragStep} gave; null when something else is dragged. */
export function draggedStep(data: DataTransfer): DraggedStep | null {
  const text = data.getData(STEP_MIME);
  const end = text.indexOf(" ");
  return end <= 0 ? null : { name: text.slice(0, end), title: text.slice(end + 1) };
}
