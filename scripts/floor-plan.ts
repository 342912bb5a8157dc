import { FLOORS, ROOMS, type Floor } from "./floors.ts";

/** The house as a Mermaid diagram: a box for every floor with its rooms, and which floors look down on which. */
export function renderFloorPlan(): string {
  const floorOf = new Map(ROOMS.map((room) => [room.name, room.floor]));
  const arrows = new Set<string>();
  for (const room of ROOMS) {
    for (const imported of room.imports) {
      const below: Floor | undefined = floorOf.get(imported);
      if (below !== undefined && below !== room.floor) arrows.add(`  ${room.floor} --> ${below}`);
    }
  }
  const boxes = FLOORS.toReversed().flatMap((floor) => [
    `  subgraph ${floor}`,
    "    direction LR",
    ...ROOMS.filter((room) => room.floor === floor).map((room) => `    ${room.name}`),
    "  end",
  ]);
  return ["```mermaid", "flowchart TB", ...boxes, ...[...arrows].sort(), "```"].join("\n");
}

/** What each room is for, as a table. */
export function renderRoomTable(): string {
  const rows = FLOORS.toReversed().flatMap((floor) =>
    ROOMS.filter((room) => room.floor === floor).map(
      ({ name, purpose }) => `| ${floor} | \`src/${name}\` | ${purpose} |`,
    ),
  );
  return ["| floor | folder | holds |", "|---|---|---|", ...rows].join("\n");
}
