import {
  ArrowLeftRight,
  Clock,
  GitFork,
  Repeat2,
  Shuffle,
  Stamp,
  Waypoints,
  Wrench,
  type LucideIcon,
} from "lucide-react";

/** The sign of each kind of step. */
export const KIND_ICONS: Readonly<Record<string, LucideIcon>> = {
  tool: Wrench,
  approval: Stamp,
  switch: GitFork,
  map: Repeat2,
  transform: Shuffle,
  wait: Clock,
  handoff: ArrowLeftRight,
  subworkflow: Waypoints,
};
