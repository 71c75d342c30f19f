/**
 * Who speaks on the bus of a run, and who may send what to whom.
 *
 * Source: artoo A.2 (role ids, bus table), A.3, A.4 (fast path and failures of planning pass the Steerer),
 * A.9 (the planner's report on a run that is given up).
 */

/** Roles of a run, in the order in which work passes them. `R1`…`R7` are the source's numbers. */
export const BUS_ROLES = [
  'User',
  'Perceiver', // R1
  'Planner', // R2
  'Dispatcher', // between R2 and R3: code, asks no model
  'Executor', // R3
  'AgentValidator', // R4a
  'MetaValidator', // R4b
  'Memory', // R5
  'Auditor', // R6
  'Steerer', // R7
] as const;
export type BusRole = (typeof BUS_ROLES)[number];

interface Route {
  readonly from: readonly BusRole[];
  readonly to: BusRole;
}

/**
 * The only paths that exist, by type. What is not here is a boundary violation, an unknown type included.
 *
 * Source: artoo A.2, A.12 (the table is exhaustive).
 * Differs: `SubTask` and `ExecutionResult` pass the dispatcher, which the source has as code between its roles; its two
 * `AuditQuery` and `AuditReport` are not on this bus: nothing that an agent runs answers for the auditor.
 */
export const BUS_ROUTES = {
  TaskReceived: { from: ['User'], to: 'Perceiver' },
  ClarificationRequest: { from: ['Perceiver'], to: 'User' },
  ClarificationAnswer: { from: ['User'], to: 'Perceiver' },
  TaskSpec: { from: ['Perceiver'], to: 'Planner' },
  FastReply: { from: ['Perceiver'], to: 'Steerer' },
  PerceptionFailure: { from: ['Perceiver'], to: 'Steerer' },
  MemoryRead: { from: ['Planner'], to: 'Memory' },
  MemoryResponse: { from: ['Memory'], to: 'Planner' },
  MemoryWrite: { from: ['Steerer'], to: 'Memory' },
  DispatchManifest: { from: ['Planner'], to: 'MetaValidator' },
  SubTask: { from: ['Planner'], to: 'Dispatcher' },
  PlanFailure: { from: ['Planner'], to: 'Steerer' },
  SubTaskDispatch: { from: ['Dispatcher'], to: 'Executor' },
  ExecutionResult: { from: ['Executor'], to: 'AgentValidator' },
  CorrectionSignal: { from: ['AgentValidator'], to: 'Executor' },
  SubTaskOutcome: { from: ['AgentValidator', 'Dispatcher'], to: 'MetaValidator' },
  ReplanRequest: { from: ['MetaValidator'], to: 'Steerer' },
  OutcomeSummary: { from: ['MetaValidator'], to: 'Steerer' },
  PlanDirective: { from: ['Steerer'], to: 'Planner' },
  ReportRequest: { from: ['Steerer'], to: 'Planner' },
  AbandonReport: { from: ['Planner'], to: 'Steerer' },
  TaskAbort: { from: ['User'], to: 'Steerer' },
  FinalResult: { from: ['Steerer'], to: 'User' },
} as const satisfies Readonly<Record<string, Route>>;

export type BusMessageType = keyof typeof BUS_ROUTES;

/** Whether a message of this type may go this way. An unknown type may go nowhere. */
export function mayTravel(type: string, from: string, to: string): boolean {
  if (!Object.hasOwn(BUS_ROUTES, type)) return false;
  const route: Route = BUS_ROUTES[type as BusMessageType];
  return route.to === to && route.from.some((role) => role === from);
}
