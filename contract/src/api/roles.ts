/**
 * The table of all roles: everything except their duties, which are texts for models (`agents/` of the runtime). Bus routes,
 * cycles, tiers, specialists, metrics and stories are derived from this table.
 *
 * A new specialist is a row of kind `Worker` here and its duties in `agents/workers.ts`.
 *
 * Source: design 3, 5; artoo A.2 (roles, bus), C (an executor is one of several; memory of workers), A.3, A.4, A.8 (tiers),
 * A.9 (report), A.12 (the routes are exhaustive); springdrift 6, 7 (turns, the paper's column), 0. Differs: `SubTask` and
 * `ExecutionResult` pass the dispatcher, which the source has as code between its roles; its two `AuditQuery` and
 * `AuditReport` are not on this bus: nothing that an agent runs answers for the auditor.
 */

export type ModelTier = 'Fast' | 'Capable';

interface RoleRow {
  /**
   * Station: code or a person that sends messages on the bus of a run. Thinker: a model that sends messages, in cycles. Worker:
   * replaces the Executor for a subtask if the plan names it. Gate: a model for the gates. Keeper: a model that works on memory
   * after a run, beside all others.
   */
  readonly kind: 'Station' | 'Thinker' | 'Worker' | 'Gate' | 'Keeper';
  /** Types of its outgoing messages. */
  readonly sends?: readonly string[];
  /** Types of its incoming messages; each type has one receiver. */
  readonly reads?: readonly string[];
  /** Its input: words of others, which the input gate judges; or the run's own record of text judged before. */
  readonly told?: 'Words' | 'Record';
  /** Its model's structured answers, each a file in `answers/` of the runtime; absent: plain text. */
  readonly answers?: readonly string[];
  /** Members of its answer that people may read; the last one receives a warning. */
  readonly leaves?: readonly string[];
  /** Of the tools that the Agent allows. All: every one but `KEPT_TOOLS`. A list: those in it. Absent: none. */
  readonly tools?: 'All' | readonly string[];
  /** A necessary tool: if the Agent does not allow it, no plan may name the role. */
  readonly needs?: string;
  /** When to choose it, for the planner. One clause. */
  readonly purpose?: string;
  /** The default tier; absent for a role without a model. */
  readonly tier?: ModelTier;
  /** Limit of model calls per delegated piece of work. */
  readonly turns?: number;
  /** For the ids of its cycles. */
  readonly letter?: string;
  /** Its name in stories, if different. */
  readonly called?: string;
}

/** A row of the kind `Worker`. */
export type WorkerRow = Required<Pick<RoleRow, 'purpose' | 'needs' | 'tier' | 'turns'>> & {
  readonly tools: readonly string[];
};

/** By which an agent looks at itself; the Observer alone has them. */
export const OBSERVING_TOOLS = [
  'recall_recent',
  'recall_threads',
  'recall_cases',
  'memory_trace',
  'reflect',
  'introspect',
  'list_recent_cycles',
  'inspect_cycle',
  'review_recent',
  'detect_patterns',
  'query_tool_activity',
  'list_affect_history',
  'report_false_positive',
] as const;

/** By which an agent keeps its calendar; the Scheduler alone has them. What a plain Task may need of it, the Executor has, too. */
export const CALENDAR_TOOLS = [
  'schedule_from_spec',
  'add_todo',
  'add_appointment',
  'complete_item',
  'update_item',
  'inspect_job',
  'purge_cancelled',
] as const;

/** By which an agent plans its own work; the Project Manager alone has them. Source: springdrift 7. */
export const WORK_TOOLS = [
  'create_endeavour',
  'add_task_to_endeavour',
  'add_phase',
  'advance_phase',
  'schedule_work_session',
  'cancel_work_session',
  'list_work_sessions',
  'report_blocker',
  'resolve_blocker',
  'get_endeavour_detail',
  'update_endeavour',
  'delete_endeavour',
  'flag_risk',
  'abandon_task',
  'activate_task',
  'complete_task_step',
  'update_task',
  'add_task_step',
  'remove_task_step',
  'delete_task',
  'request_forecast_review',
  'get_forecast_breakdown',
] as const;

/** By which an agent writes mails by itself; Comms alone has them. What a letter says, the Executor may need as well. Source: springdrift 7. */
export const MAIL_TOOLS = ['send_email', 'list_contacts', 'check_inbox'] as const;

/** Tools that a worker keeps to itself: each costs tokens in every request that offers it. */
export const KEPT_TOOLS: readonly string[] = [...OBSERVING_TOOLS, ...CALENDAR_TOOLS, ...WORK_TOOLS, ...MAIL_TOOLS];

/** First the roles of a run, in the order of the work; `R1`…`R7` are the source's numbers. */
export const ROLES = {
  User: {
    kind: 'Station',
    called: 'person',
    reads: ['ClarificationRequest', 'FinalResult'],
    sends: ['TaskReceived', 'ClarificationAnswer', 'TaskAbort'],
  },
  /** R1 */
  Perceiver: {
    kind: 'Thinker',
    tier: 'Fast',
    letter: 'p',
    told: 'Words',
    answers: ['TaskSpec'],
    leaves: ['text'],
    reads: ['TaskReceived', 'ClarificationAnswer'],
    sends: ['ClarificationRequest', 'TaskSpec', 'FastReply', 'PerceptionFailure'],
  },
  /** R2 */
  Planner: {
    kind: 'Thinker',
    tier: 'Capable',
    turns: 5,
    letter: 'n',
    told: 'Words',
    answers: ['Plan', 'AbandonReport'],
    reads: ['TaskSpec', 'MemoryResponse', 'PlanDirective', 'ReportRequest'],
    sends: ['MemoryRead', 'DispatchManifest', 'SubTask', 'PlanFailure', 'AbandonReport'],
  },
  /** Between R2 and R3. */
  Dispatcher: { kind: 'Station', reads: ['SubTask'], sends: ['SubTaskDispatch', 'SubTaskOutcome'] },
  /** R3 */
  Executor: {
    kind: 'Thinker',
    tier: 'Capable',
    letter: 'c',
    told: 'Words',
    tools: 'All',
    reads: ['SubTaskDispatch', 'CorrectionSignal'],
    sends: ['ExecutionResult'],
  },
  /** R4a */
  AgentValidator: {
    kind: 'Thinker',
    tier: 'Capable',
    letter: 'v',
    called: 'validator',
    told: 'Record',
    answers: ['AttemptVerdicts'],
    reads: ['ExecutionResult'],
    sends: ['CorrectionSignal', 'SubTaskOutcome'],
  },
  /** R4b */
  MetaValidator: {
    kind: 'Thinker',
    tier: 'Capable',
    letter: 'w',
    told: 'Record',
    answers: ['Merge'],
    leaves: ['output', 'summary'],
    reads: ['DispatchManifest', 'SubTaskOutcome'],
    sends: ['ReplanRequest', 'OutcomeSummary'],
  },
  /** R5 */
  Memory: { kind: 'Station', reads: ['MemoryRead', 'MemoryWrite'], sends: ['MemoryResponse'] },
  /** R6: receives everything, sends nothing. */
  Auditor: { kind: 'Station', called: 'run' },
  /** R7 */
  Steerer: {
    kind: 'Station',
    reads: [
      'FastReply',
      'PerceptionFailure',
      'PlanFailure',
      'ReplanRequest',
      'OutcomeSummary',
      'AbandonReport',
      'TaskAbort',
    ],
    sends: ['MemoryWrite', 'PlanDirective', 'ReportRequest', 'FinalResult'],
  },
  Scorer: { kind: 'Gate', tier: 'Fast', answers: ['Forecasts', 'CallForecasts'] },
  Canary: { kind: 'Gate', tier: 'Fast' },
  Reader: { kind: 'Gate', tier: 'Fast', answers: ['Reading'] },
  Archivist: { kind: 'Keeper', tier: 'Fast', answers: ['Reflection'] },
  Researcher: {
    kind: 'Worker',
    tier: 'Capable',
    turns: 8,
    purpose: 'finds things out on the web and in files, with the sources',
    needs: 'fetch_url',
    tools: [
      'fetch_url',
      'list_files',
      'find_files',
      'read_file',
      'search_files',
      'write_file',
      'edit_file',
      'request_approval',
    ],
  },
  Coder: {
    kind: 'Worker',
    tier: 'Capable',
    turns: 10,
    purpose: 'writes code, runs it and mends it until it does what was asked',
    needs: 'run_code',
    tools: [
      'run_code',
      'bash',
      'serve_code',
      'stop_serving',
      'list_files',
      'find_files',
      'read_file',
      'search_files',
      'write_file',
      'edit_file',
      'request_approval',
    ],
  },
  Observer: {
    kind: 'Worker',
    tier: 'Fast',
    turns: 6,
    purpose: 'finds out what this agent itself did before, how it went and why, out of its own record',
    needs: 'introspect',
    tools: [...OBSERVING_TOOLS, 'memory_read', 'memory_recall'],
  },
  Scheduler: {
    kind: 'Worker',
    tier: 'Fast',
    turns: 6,
    purpose: 'keeps the calendar: reminders, appointments, things to do, and work that recurs',
    needs: 'schedule_reminder',
    tools: ['get_current_datetime', 'schedule_reminder', 'list_schedule', 'cancel_item', ...CALENDAR_TOOLS],
  },
  ProjectManager: {
    kind: 'Worker',
    // All requests to one model share its tools: 22 more would stand in each request of whoever works.
    tier: 'Fast',
    turns: 8,
    purpose:
      'plans work of days and weeks: endeavours with phases and sessions, work items with steps, blockers and forecasts',
    needs: 'create_endeavour',
    tools: WORK_TOOLS,
  },
  Comms: {
    kind: 'Worker',
    tier: 'Fast',
    turns: 6,
    purpose: 'writes mails to people that the agent may write to, and looks into its mailbox',
    needs: 'send_email',
    tools: [...MAIL_TOOLS, 'read_message'],
  },
} as const satisfies Readonly<Record<string, RoleRow>>;

/** Work may be delegated to them one day: manifests may name them. */
const PLANNED_SPECIALISTS = ['Writer', 'Remembrancer'] as const;
/** They will ask models one day: manifests may name them. */
const PLANNED_ROLES = ['Cognitive', 'Dreamer', 'Appraiser', 'Reviewer', ...PLANNED_SPECIALISTS] as const;

type Table = typeof ROLES;
export type RoleName = keyof Table;
type RoleOfKind<K> = { [R in RoleName]: Table[R]['kind'] extends K ? R : never }[RoleName];
type RoleWith<Column> = { [R in RoleName]: Table[R] extends Column ? R : never }[RoleName];
type ValuesOf<C extends keyof RoleRow> = {
  [R in RoleName]: Table[R] extends { readonly [K in C]: readonly (infer V)[] } ? V : never;
}[RoleName];

export type BusRole = RoleOfKind<'Station' | 'Thinker'>;
export type ThinkingRole = RoleOfKind<'Thinker'>;
export type WorkerRole = RoleOfKind<'Worker'>;
export type ModelRole = RoleWith<{ readonly tier: ModelTier }>;
/** Each type has one receiver. */
export type BusMessageType = ValuesOf<'reads'>;
export type AnswerKind = ValuesOf<'answers'>;

const names = Object.keys(ROLES) as readonly RoleName[];

/** The row of a role, typed with all columns. */
export const roleRow = (role: RoleName): RoleRow => ROLES[role];

export const workerRow = (role: WorkerRole): WorkerRow => ROLES[role];

const isOf =
  <K extends RoleRow['kind']>(...kinds: readonly K[]) =>
  (role: RoleName): role is RoleOfKind<K> =>
    kinds.some((kind) => kind === roleRow(role).kind);
const asksModels = (role: RoleName): role is ModelRole => roleRow(role).tier !== undefined;
const isSpecialist = (role: RoleName): role is RoleWith<{ readonly turns: number }> =>
  roleRow(role).turns !== undefined;

export const BUS_ROLES = names.filter(isOf('Station', 'Thinker'));
export const THINKING_ROLES = names.filter(isOf('Thinker'));
export const WORKER_ROLES = names.filter(isOf('Worker'));
export const MODEL_ROLES = names.filter(asksModels);
/** As manifests may name them. */
export const NAMED_MODEL_ROLES = [...MODEL_ROLES, ...PLANNED_ROLES];
export const SPECIALISTS = [...names.filter(isSpecialist), ...PLANNED_SPECIALISTS];
export const ANSWER_KINDS = names.flatMap((role) => roleRow(role).answers ?? []) as readonly AnswerKind[];

/** For an Agent without a tier for the role. */
export const defaultTier = (role: ModelRole): ModelTier => ROLES[role].tier;

/** The role's name for models, gates, scripts and metrics: `agent-validator`. */
export function roleName(role: string): string {
  return role.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
