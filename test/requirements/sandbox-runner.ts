import type { Requirements } from './requirement.ts';

export const sandboxRunnerRequirements = {
  'sandbox-runner:carries-safe-files-only': {
    source: 'reliability-security 7',
    behavior: 'No path, link or special file in an archive reaches anything outside the directory it is unpacked in',
  },
  'sandbox-runner:one-run-in-its-life': {
    source: 'design 7',
    behavior: 'A runner takes files, runs once, says everything, gives back what changed, and ends',
  },
  'sandbox-runner:each-step-once': {
    source: 'design 7',
    behavior:
      'Each step is taken once and in its order; the same request again changes nothing, another one is refused',
  },
  'sandbox-runner:output-resumes': {
    source: 'design 5',
    behavior: 'A reader that was cut off goes on at the number of the event that it misses',
  },
  'sandbox-runner:output-is-bounded': {
    source: 'reliability-security 7',
    behavior: 'Of each stream the first bytes are kept and the rest is counted, however much there is',
  },
  'sandbox-runner:obeys-its-claimant-only': {
    source: 'design 7',
    behavior: 'A request that the claimant did not sign for this pod, path, body and sequence does nothing',
  },
  'sandbox-runner:claimed-once': {
    source: 'design 7',
    behavior: 'A warm runner belongs to the first claimant that the operator names for its pod, for its whole life',
  },
  'sandbox-runner:gives-files-only': {
    source: 'reliability-security 7',
    behavior: 'Only regular files below the work directory come out, and no link is followed',
  },
  'sandbox-runner:serves-its-claimant-only': {
    source: 'design 7',
    behavior: 'In mode Serve signed requests reach the named ports of the running code, and no others do',
  },
  'sandbox-runner:contains-abuse': {
    source: 'reliability-security 7',
    behavior:
      'Loops, sleeps, floods of output and files and deafness to signals end at their limit within five seconds',
  },
  'sandbox-runner:counts-one-sandbox': {
    source: 'reliability-security 7',
    behavior: 'The limit of processes holds for one sandbox, also where several on a node have one user',
  },
  'sandbox-runner:kills-all-others': {
    source: 'reliability-security 7',
    behavior:
      'As the first process of its pod the runner outlives every process and every signal of the code, and leaves none',
  },
  'sandbox-runner:agent-runs-code': {
    source: 'design 7',
    behavior:
      'An agent runs a script in a pod of its own: workspace there and back, output, one run per key, nothing left',
  },
  'sandbox-runner:few-writes': {
    source: 'platforms 4',
    behavior:
      'A run costs its agent one write: the runner that it released says so, and the operator deletes its SandboxRun; if not, the agent does after half a minute',
  },
  'sandbox-runner:api-server-away': {
    source: 'reliability-security 2',
    behavior:
      'A run that has its sandbox does not need the API server; one that has none waits, and is refused in time',
  },
  'sandbox-runner:takes-back-safely': {
    source: 'reliability-security 7',
    behavior:
      'What comes out of a sandbox changes nothing read-only, nothing behind a link and nothing outside the workspace',
  },
  'sandbox-runner:agent-crash': {
    source: 'design 5',
    behavior:
      'An agent that is killed between any two steps takes its run up again, or knows that it is lost; none runs twice',
  },
  'sandbox-runner:canary-tells': {
    source: 'reliability-security 3',
    behavior: 'The canary tells every flow that is open after the network rules had time to be set, and no other',
  },
  'sandbox-runner:conflict': {
    source: 'design 7',
    behavior:
      'What another run changed while a program ran is not overwritten or removed; the call says conflict and the path',
  },
} as const satisfies Requirements;
