/** A small model that does not know how to answer: each live task meets one of its ways. */
import { liveTasks } from '../../bench/live/tasks/tasks.ts';
import { asksPerceiver, oneStep, type Play, type ReceivedRequest } from './messages-server.ts';

interface Way {
  /** To the perceiver; that every task is one step, when absent. */
  readonly perceives?: Play;
  /** To every other role. */
  readonly works: Play;
  /** How the last words begin. */
  readonly says: string;
}

function text(said: string, stopReason = 'end_turn'): Play {
  return { kind: 'Answer', content: [{ type: 'text', text: said }], stopReason };
}

function call(name: string, input: unknown): Play {
  return { kind: 'Answer', content: [{ type: 'tool_use', id: 'call_0', name, input }], stopReason: 'tool_use' };
}

const prose = text('Sure! Done. Let me know if you need anything else :)');
const yes = text('<attempt><verdict criterion="1" met="perhaps"><evidence>t1</evidence></verdict></attempt>');
const noTools: Play = {
  kind: 'Status',
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message: 'this model takes no tools' } },
};

const FORM = 'was reached, but never answered in the required form.';
const STUCK = "Abandoned: the planner's model was reached, but asked for tools until a limit ended it.";

/** By the name of the first task that meets it. */
const ways: Readonly<Record<string, Way>> = {
  'total-sales': { perceives: prose, works: prose, says: `Abandoned: the planner's model ${FORM}` },
  'best-customer': { works: prose, says: `Abandoned: the planner's model ${FORM}` },
  'count-errors': {
    perceives: text('<perception><task slug="work" shape='),
    works: prose,
    says: `Abandoned: the planner's model ${FORM}`,
  },
  'mean-reading': { works: text(''), says: "Abandoned: the planner's model was reached, but gave empty answers." },
  'monthly-report': { works: call('writeFile', { name: 'out/monthly.csv' }), says: STUCK },
  'customers-json': { works: call('list_files', {}), says: STUCK },
  'change-port': { works: call('write_file', { file: 'config/app.json', text: '9090' }), says: STUCK },
  'merge-teams': {
    works: text('Adaeze, Bao, Bao, Bao, Bao', 'max_tokens'),
    says: "Abandoned: the planner's model was reached, but its answers were cut off at the output limit.",
  },
  'price-on-page': {
    works: { kind: 'Body', text: 'data: {"choices":[]}\n\n' },
    says: "Failed: the planner's model was reached, but what came back is no answer of the Messages API.",
  },
  'forbidden-change': { works: yes, says: `Abandoned: the planner's model ${FORM}` },
  'missing-file': {
    perceives: text('<question><text>What?</text></question>'),
    works: prose,
    says: `Abandoned: the planner's model ${FORM}`,
  },
  'orders-in-mail': {
    works: noTools,
    says: "Failed: the planner's model could not be used: its provider refused the request as invalid.",
  },
};

/** By the name of the task; the ways begin again where the tasks are more. */
export const weakWays: Readonly<Record<string, Way>> = Object.fromEntries(
  liveTasks.flatMap(({ name }, at) => {
    const way = Object.values(ways)[at % Object.keys(ways).length];
    return way === undefined ? [] : [[name, way]];
  }),
);

const understood: Play = { kind: 'Answer', content: oneStep, stopReason: 'end_turn' };

/** What it answers; a request of no task of ours is answered with prose. */
export function weakly({ body }: ReceivedRequest): Play {
  const way = weakWays[taskOf(JSON.stringify(body)) ?? ''];
  if (asksPerceiver(body)) return way?.perceives ?? understood;
  return way?.works ?? prose;
}

/** A request may tell of other tasks, too; its own stands below this line of the agent. */
const OWN_TASK = JSON.stringify('The task of this run:\n  ').slice(1, -1);

function taskOf(request: string): string | undefined {
  return liveTasks.find(({ intent }) => request.includes(OWN_TASK + JSON.stringify(intent).slice(1, -1)))?.name;
}
