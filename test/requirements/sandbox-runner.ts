import type { Requirements } from './requirement.ts';

export const sandboxRunnerRequirements = {
  'reliability-security 7': {
    'sandbox-runner:carries-safe-files-only':
      'No path, link or special file in an archive reaches anything outside the directory it is unpacked in',
    'sandbox-runner:output-is-bounded':
      'Of each stream the first bytes are kept and the rest is counted, however much there is',
    'sandbox-runner:gives-files-only': 'Only regular files below the work directory come out, and no link is followed',
    'sandbox-runner:contains-abuse':
      'Loops, sleeps, floods of output and files and deafness to signals end at their limit within five seconds',
    'sandbox-runner:counts-one-sandbox':
      'The limit of processes holds for one sandbox, also where several on a node have one user',
    'sandbox-runner:kills-all-others':
      'As the first process of its pod the runner outlives every process and every signal of the code, and leaves none',
    'sandbox-runner:takes-back-safely':
      'What comes out of a sandbox changes nothing read-only, nothing behind a link and nothing outside the workspace',
  },
  'design 7': {
    'sandbox-runner:one-run-in-its-life':
      'A runner takes files, runs once, says everything, gives back what changed, and ends',
    'sandbox-runner:each-step-once':
      'Each step is taken once and in its order; the same request again changes nothing, another one is refused',
    'sandbox-runner:obeys-its-claimant-only':
      'A request that the claimant did not sign for this pod, path, body and sequence does nothing',
    'sandbox-runner:claimed-once':
      'A warm runner belongs to the first claimant that the operator names for its pod, for its whole life',
    'sandbox-runner:serves-its-claimant-only':
      'In mode Serve signed requests reach the named ports of the running code, and no others do',
    'sandbox-runner:agent-runs-code':
      'An agent runs a script in a pod of its own: workspace there and back, output, one run per key, nothing left',
    'sandbox-runner:conflict':
      'What another run changed while a program ran is not overwritten or removed; the call says conflict and the path',
  },
  'design 5': {
    'sandbox-runner:output-resumes': 'A reader that was cut off goes on at the number of the event that it misses',
    'sandbox-runner:agent-crash':
      'An agent that is killed between any two steps takes its run up again, or knows that it is lost; none runs twice',
  },
  'platforms 4': {
    'sandbox-runner:few-writes':
      'A run costs its agent one write: the runner that it released says so, and the operator deletes its SandboxRun; if not, the agent does after half a minute',
  },
  'reliability-security 2': {
    'sandbox-runner:api-server-away':
      'A run that has its sandbox does not need the API server; one that has none waits, and is refused in time',
  },
  'reliability-security 3': {
    'sandbox-runner:canary-tells':
      'The canary tells every flow that is open after the network rules had time to be set, and no other',
  },
} as const satisfies Requirements;
