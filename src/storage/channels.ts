/** The channels on which replicas tell each other of new events, and of runs that are wanted. */
export const EVENT_CHANNEL = "workflow_ui_events";
export const RUN_CHANNEL = "workflow_ui_runs";
