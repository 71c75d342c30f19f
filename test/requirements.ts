/** Every rule of the sources that the code implements, as data. Tests cite the ids; `requirements.test.ts` fails on an uncited one. */
import { adversaryRequirements } from './requirements/adversary.ts';
import { affectRequirements } from './requirements/affect.ts';
import { agentClusterRequirements } from './requirements/agent-cluster.ts';
import { approvalRequirements } from './requirements/approvals.ts';
import { apiRequirements } from './requirements/api.ts';
import { auditRequirements } from './requirements/audit.ts';
import { auditBusRequirements } from './requirements/audit-bus.ts';
import { auditViewRequirements } from './requirements/audit-view.ts';
import { backupRequirements } from './requirements/backup.ts';
import { calculusRequirements } from './requirements/calculus.ts';
import { cliClusterRequirements } from './requirements/cli-cluster.ts';
import { budgetRequirements } from './requirements/budget.ts';
import { busRequirements } from './requirements/bus.ts';
import { cliRequirements } from './requirements/cli.ts';
import { cliJobsRequirements } from './requirements/cli-jobs.ts';
import { cliMailRequirements } from './requirements/cli-mail.ts';
import { curatorRequirements } from './requirements/curator.ts';
import { cycleRequirements } from './requirements/cycle.ts';
import { dispatchRequirements } from './requirements/dispatch.ts';
import { dreamRequirements } from './requirements/dream.ts';
import { egressProxyRequirements } from './requirements/egress-proxy.ts';
import { e2eRequirements } from './requirements/e2e.ts';
import { e2eSandboxRequirements } from './requirements/e2e-sandbox.ts';
import { inferRequirements } from './requirements/infer.ts';
import { gateRequirements } from './requirements/gate.ts';
import { gateChainRequirements } from './requirements/gate-chain.ts';
import { gateTextRequirements } from './requirements/gate-text.ts';
import { jobRequirements } from './requirements/jobs.ts';
import { jobsClusterRequirements } from './requirements/jobs-cluster.ts';
import { journalRequirements } from './requirements/journal.ts';
import { mailClusterRequirements } from './requirements/mail-cluster.ts';
import { mailRequirements } from './requirements/mail.ts';
import { mailDialogueRequirements } from './requirements/mail-dialogue.ts';
import { mailServerRequirements } from './requirements/mail-servers.ts';
import { megramRequirements } from './requirements/megrams.ts';
import { metaRequirements } from './requirements/meta.ts';
import { operatorTaskRequirements } from './requirements/operator-task.ts';
import { packagingRequirements } from './requirements/packaging.ts';
import { operatorAgentRequirements } from './requirements/operator-agent.ts';
import { operatorSandboxRequirements } from './requirements/operator-sandbox.ts';
import { operatorFaultRequirements } from './requirements/operator-faults.ts';
import { provenanceRequirements } from './requirements/provenance.ts';
import { readersRequirements } from './requirements/readers.ts';
import type { Requirements } from './requirements/requirement.ts';
import { recallRequirements } from './requirements/recall.ts';
import { kubeRequirements } from './requirements/kube.ts';
import { letterRequirements } from './requirements/letters.ts';
import { loopRequirements } from './requirements/loop.ts';
import { roleRequirements } from './requirements/roles.ts';
import { roleWordRequirements } from './requirements/role-words.ts';
import { runRequirements } from './requirements/run.ts';
import { runCauseRequirements } from './requirements/run-cause.ts';
import { runMemoryRequirements } from './requirements/run-memory.ts';
import { sandboxRunnerRequirements } from './requirements/sandbox-runner.ts';
import { sandboxRequirements } from './requirements/sandbox.ts';
import { serveRequirements } from './requirements/serve.ts';
import { securityRequirements } from './requirements/security.ts';
import { steerRequirements } from './requirements/steer.ts';
import { upkeepRequirements } from './requirements/upkeep.ts';
import { useRequirements } from './requirements/use.ts';
import { verdictRequirements } from './requirements/verdict.ts';
import { toolsRequirements } from './requirements/tools.ts';
import { mailOutRequirements } from './requirements/mail-out.ts';
import { workRequirements } from './requirements/work.ts';
import { worstCaseRequirements } from './requirements/worst-case.ts';

export const areas: readonly Requirements[] = [
  adversaryRequirements,
  affectRequirements,
  agentClusterRequirements,
  apiRequirements,
  auditRequirements,
  auditBusRequirements,
  auditViewRequirements,
  backupRequirements,
  budgetRequirements,
  busRequirements,
  calculusRequirements,
  cliClusterRequirements,
  cliRequirements,
  cliJobsRequirements,
  cliMailRequirements,
  curatorRequirements,
  cycleRequirements,
  dispatchRequirements,
  dreamRequirements,
  egressProxyRequirements,
  e2eRequirements,
  e2eSandboxRequirements,
  inferRequirements,
  jobRequirements,
  jobsClusterRequirements,
  journalRequirements,
  operatorSandboxRequirements,
  kubeRequirements,
  provenanceRequirements,
  readersRequirements,
  recallRequirements,
  letterRequirements,
  loopRequirements,
  mailClusterRequirements,
  mailRequirements,
  mailDialogueRequirements,
  mailServerRequirements,
  megramRequirements,
  metaRequirements,
  operatorTaskRequirements,
  operatorFaultRequirements,
  runRequirements,
  runCauseRequirements,
  runMemoryRequirements,
  roleRequirements,
  roleWordRequirements,
  sandboxRequirements,
  sandboxRunnerRequirements,
  packagingRequirements,
  securityRequirements,
  steerRequirements,
  serveRequirements,
  upkeepRequirements,
  approvalRequirements,
  gateRequirements,
  gateChainRequirements,
  gateTextRequirements,
  toolsRequirements,
  useRequirements,
  verdictRequirements,
  mailOutRequirements,
  workRequirements,
  worstCaseRequirements,
  operatorAgentRequirements,
];

/** Keyed by `area:rule-in-words`. */
export const requirements: Readonly<Record<string, { readonly source: string; readonly behavior: string }>> =
  Object.fromEntries(
    areas.flatMap((area) =>
      Object.entries(area).flatMap(([source, rules]) =>
        Object.entries(rules).map(([id, behavior]) => [id, { source, behavior }]),
      ),
    ),
  );
