/** `retainer doctor`: what is wrong with an installation, and what to do about it. Reads only; of one Agent it tries the mail servers. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { connectCluster } from '../cluster/connect-cluster.ts';
import { readEnvironment } from '../config.ts';
import { countsOf, diagnose } from '../doctor/checks.ts';
import { forCluster } from '../doctor/for-cluster.ts';
import { observeCluster } from '../doctor/observe-cluster.ts';
import { renderDiagnosis } from '../doctor/render-diagnosis.ts';
import { tryMail } from '../doctor/try-mail.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type OutputFormat } from '../output.ts';
import { programVersion } from '@retainer/agent-pod/boot/program-version';

export interface DoctorFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly systemNamespace: string;
  readonly namespace?: string;
  readonly agent?: string;
  readonly output: OutputFormat;
}

export async function doctorCommand(flags: DoctorFlags): Promise<number> {
  const { colour, cluster } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const version = programVersion();
  const connected = await connectCluster(flags, cluster, version);
  if (!connected.ok) {
    output.error(connected.error);
    return exitCodes.usage;
  }
  const { client, address } = connected.value;
  const { systemNamespace, namespace, agent } = flags;
  const scope = { systemNamespace, namespace, agent };
  const observed = await observeCluster({ client, clock: systemClock, scope, version, address, depth: 'Everything' });
  // Of one Agent only: it takes seconds, and a right that the doctor needs for nothing else.
  const facts = agent === undefined ? observed : { ...observed, triedMail: await tryMail(observed, flags, output) };
  client.close();
  const diagnosis = forCluster(diagnose(facts), flags);
  output.lines(renderDiagnosis(diagnosis));
  output.data({ status: diagnosis.status, counts: countsOf(diagnosis), address, scope, findings: diagnosis.findings });
  return diagnosis.status === 'fail' ? exitCodes.failed : exitCodes.done;
}
