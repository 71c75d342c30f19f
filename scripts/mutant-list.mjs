/**
 * Lines that carry a promise, each with a change that breaks it and the unit tests that must notice. A name begins with the part
 * of the product; `text` occurs once in `file`. Whoever rewrites such a line rewrites its entry.
 */
import { approvalMutants } from './approval-mutants.mjs';
import { gateMutants } from './gate-mutants.mjs';
import { headMutants } from './head-mutants.mjs';
import { inferMutants } from './infer-mutants.mjs';
import { jobMutants } from './job-mutants.mjs';
import { letterMutants } from './letter-mutants.mjs';
import { linkMutants } from './link-mutants.mjs';
import { mailDialogueMutants } from './mail-dialogue-mutants.mjs';
import { mailMutants } from './mail-mutants.mjs';
import { outageMutants } from './outage-mutants.mjs';
import { memoryMutants } from './memory-mutants.mjs';
import { mutantsOfFile as of } from './mutants-of-file.mjs';
import { requiredMutants } from './required-mutants.mjs';
import { surroundingsMutants } from './surroundings-mutants.mjs';
import { verdictMutants } from './verdict-mutants.mjs';
import { weakModelMutants } from './weak-model-mutants.mjs';

const journal = 'packages/journal/src';
const gate = 'packages/mind/src/gate';
const audit = 'agent-pod/src/audit';
const sandbox = 'agent-pod/src/sandbox/local';

export const mutants = [
  ...of(`${journal}/sync-guard.ts`, [`${journal}/sync-guard.test.ts`], {
    'journal: a failed sync is never tried again': ['if (before !== undefined) throw before;', ''],
    'journal: a failed sync is told with its code': ["errorCode(cause) ?? 'EIO'", "'EIO'"],
    'journal: a new file of an old name may be synced': ['failed.delete(path);', ''],
  }),
  ...headMutants,
  ...of(`${journal}/blobs.ts`, [`${journal}/blobs.test.ts`], {
    'journal: a blob has the content of its hash': [' || sha256Hex(bytes) !== ref.sha256)', ')'],
    'journal: a blob unpacks to its size at the most': ['Math.max(ref.sizeBytes, 1)', 'BLOB_BYTES_MAX'],
    'journal: a blob that was there is durable, too': [
      'await this.#fileSystem.syncDirectory(directory);\n      return;',
      'return;',
    ],
  }),
  ...of('agent-pod/src/input/spool.ts', ['agent-pod/src/input/spool.test.ts'], {
    'input: pods/exec decides on no Task': ["if (writers === 'PodsExec' && !overPodsExec.has(type))", 'if (false)'],
    'input: a word over pods/exec says so': ["how: writers === 'PodsExec' ? 'PodsExec' : 'OsUser'", "how: 'OsUser'"],
  }),
  ...of(`${journal}/repair-plan.ts`, [`${journal}/repair.test.ts`, `${journal}/whole.test.ts`], {
    'journal: repair lists what is lost': ['this.#lost.push(lost);', ''],
    'journal: repair names the lost orders': ['lostOrders: lost.orders,', ''],
    'journal: repair names the lost kinds': ['kinds: [...new Set(readable.map(({ kind }) => kind))]', 'kinds: []'],
    'journal: repair names the runs beside the gap': ['runs: [...new Set(runs)]', 'runs: []'],
    'journal: a gap stands in the place of a lost record': ['lost.orders[0]?.from ?? order + 1', 'order + 1'],
    'journal: repair never chooses between two writers': [
      'return `sequence ${head.seq} exists twice with different content: two writers`;',
      'return undefined;',
    ],
  }),
  ...of(`${journal}/repair.ts`, [`${journal}/repair.test.ts`, `${journal}/whole.test.ts`], {
    'journal: a store is given up only by name': ['&& !giveUp.includes(store)) return', '&& false) return'],
    'journal: repair keeps copies': ['await replaceFile(fileSystem, copy, bytes);', ''],
    'journal: repair acts under the lock': [
      'const held = await lock.acquire(`${directory}/lock`);',
      'const held = { release: async () => undefined };',
    ],
  }),
  ...of(`${journal}/codec.ts`, [`${journal}/codec.test.ts`], {
    'journal: the hash covers the line': [
      'if (this.#digest(line, hashedBytes) !== tail.slice(-HEX_LENGTH - 2, -2)) return undefined;',
      'this.#digest(line, hashedBytes);',
    ],
    'journal: a hash is of its store': [
      'const tag = Buffer.from(`${DOMAIN_TAG}${store}\\n`);',
      'const tag = Buffer.from(`${DOMAIN_TAG}deeds\\n`);',
    ],
  }),
  ...of(`${journal}/chain-scanner.ts`, [`${journal}/chain-scanner.test.ts`], {
    'journal: a record continues the one before it': [
      'if (state.expectedPrev !== undefined && ends.prev !== state.expectedPrev)',
      'if (state.expectedPrev === "")',
    ],
    'journal: no epoch goes back': ['if (head.epoch < state.epoch)', 'if (head.epoch < 0)'],
    'journal: no order goes back': ['if (head.order <= state.order)', 'if (head.order < 0)'],
    'journal: nothing follows a footer': ['if (state.sealed) return {', 'if (state.epoch < 0) return {'],
    'journal: a footer has the root of its records': [
      '&& (!this.#merkle || footer.merkleRoot === merkleRoot(frontier))',
      '',
    ],
    'journal: a footer counts its records': ['footer.count === count && ', ''],
    'journal: a segment ends in a footer': [
      "this.#file !== '' && !this.state.sealed",
      "this.#file === '' && !this.state.sealed",
    ],
  }),
  ...of(`${journal}/recover.ts`, [`${journal}/recover.test.ts`], {
    'journal: no opening behind a kept head': ['when: ({ behindHead }) => behindHead', 'when: () => false'],
    'journal: damage before a checkpoint is never cut': [
      'if (checkpoint !== undefined && isBefore(fault, checkpoint)) return false;',
      '',
    ],
    'journal: a noted end is never cut': ['lastNoted(options) >= state.nextSeq', 'false'],
    'journal: a cut tail is kept': [
      'await copyTail(fileSystem, path, { prefix: copyPrefix(directory, store, segment, state), state, cutBytes });',
      '',
    ],
    'journal: a stale epoch does not write': ['epochGiven !== undefined && epochFound > epochGiven', 'false'],
  }),
  ...of(`${journal}/verify.ts`, [`${journal}/whole.test.ts`, `${journal}/repair.test.ts`], {
    'journal: a missing store is damage': ['yield storeMissing(store);', ''],
    'journal: a missing checkpoint is told': ['yield* await checkpointsMissing(fileSystem, directory, testimony);', ''],
    'journal: a missing order is told': ['const [first] = missing;', 'const first = missing[missing.length];'],
    'journal: a head outside a gap stays missing': [
      '!this.#gaps.some(({ gap }) => isLostIn(gap, seq))',
      'this.#gaps.length === 0',
    ],
    'journal: a gap gives up no other order': [
      'const lost = gap.lostOrders ?? [{',
      'const lost = [{ from: 0, to: Number.MAX_SAFE_INTEGER }] ?? [{',
    ],
  }),
  ...of(`${journal}/testimony.ts`, [`${journal}/whole.test.ts`], {
    'journal: noted stores are expected': ['opened?.stores.forEach((store) => notes.stores.add(store));', ''],
    'journal: noted ends are expected': ['heads: [...noted.heads.values()]', 'heads: []'],
    'journal: its own store is expected': ['const own = filled.length > 0 ?', 'const own = filled.length < 0 ?'],
  }),
  ...of(`${journal}/orders.ts`, [`${journal}/whole.test.ts`], {
    'journal: after a closing no order is missing': ['if (closing > to && closing <= last) return false;', ''],
    'journal: no crash explains an old hole': ['<= CRASH_WINDOW_MS', '<= Infinity'],
  }),
  ...of(`${journal}/disk-journal.ts`, [`${journal}/disk-journal.test.ts`, `${journal}/whole.test.ts`], {
    'journal: only the journal writes its own kinds': ['if (journalKinds.has(kind))', 'if (kind === "")'],
    'journal: a refused record uses up no order': ['writer.refuseIfFull(records.length);', ''],
  }),
  ...of(`${journal}/store-writer.ts`, [`${journal}/disk-journal.test.ts`], {
    'journal: a record is synced before it is acknowledged': ['await syncing;', ''],
  }),
  ...of(`${journal}/read.ts`, [`${journal}/disk-journal.test.ts`, `${journal}/recover.test.ts`], {
    'journal: no damaged line is shown': [
      'const fault = scanner.scan(line);\n  if (fault !== undefined) throw',
      'const fault = scanner.scan(line);\n  if (fault?.kind === "Fork") throw',
    ],
    'journal: a record of a newer program is refused': ['if (source.refusesNewer &&', 'if (false &&'],
  }),
  ...of(`${journal}/prepare-record.ts`, [`${journal}/disk-journal.test.ts`], {
    'journal: secrets are replaced before writing': [
      'return redact === undefined ? payload : mapTexts',
      'return redact !== undefined ? payload : mapTexts',
    ],
  }),
  ...of(`${journal}/examine-journal.ts`, [`${journal}/recover.test.ts`, `${journal}/whole.test.ts`], {
    'journal: another agent does not open it': [
      'if (owner === undefined || owner === agentUid) return;',
      'if (owner !== "") return;',
    ],
    'journal: nobody writes beside a missing store': ['missingText(testimony.missing) ??', ''],
  }),
  ...of(
    `${gate}/approval.ts`,
    [`${gate}/compile-gate.test.ts`, 'packages/mind/src/cycle/approval-mode.test.ts', `${gate}/approval.test.ts`],
    {
      'approvals: an approval is for its digest': [
        'approvals.filter((approval) => approval.argumentsDigest === argumentsDigest)',
        'approvals.filter((approval) => approval.argumentsDigest !== "")',
      ],
      'approvals: an approval expires': ['approval.expiresAtMs > context.nowMs && ', ''],
      'approvals: an approval is for what stands there': [' && approval.standing === context.standing', ''],
      'approvals: a denial stands': ["if (own.some((approval) => approval.decision === 'Deny')) return undefined;", ''],
      'approvals: an expired approval is told': ['approval.expiresAtMs <= context.nowMs', 'approval.expiresAtMs < 0'],
      'approvals: the mode asks for its digest': [
        'if (usableApproval(subject.call.argumentsDigest, context) !== undefined) return decided;',
        'if (context.approvals.some((it) => it.expiresAtMs > context.nowMs)) return decided;',
      ],
      'approvals: the mode asks again after its expiry': [
        'if (usableApproval(subject.call.argumentsDigest, context) !== undefined) return decided;',
        'if (context.approvals.some((it) => it.argumentsDigest === subject.call.argumentsDigest)) return decided;',
      ],
      'approvals: every effect is asked about': [
        'effectClass >= CHANGING_EFFECT_CLASS',
        'effectClass > CHANGING_EFFECT_CLASS',
      ],
      'approvals: the start is asked about': ['hasRunCalls !== true', 'hasRunCalls === true'],
    },
  ),
  ...of(
    'packages/mind/src/cycle/evolve.ts',
    [
      'packages/mind/src/cycle/approval-mode.test.ts',
      'packages/mind/src/cycle/decide.test.ts',
      'test/unit/approvals.test.ts',
    ],
    {
      'approvals: an approval serves once': [
        'approvals: state.approvals.filter((it) => it.requestId !== event.approvalId),',
        'approvals: state.approvals,',
      ],
    },
  ),
  ...of(
    'packages/mind/src/cycle/decide.ts',
    ['packages/mind/src/cycle/decide.test.ts', 'test/unit/approvals.test.ts'],
    {
      'approvals: a yes to other arguments is none': [
        'it.argumentsDigest === input.argumentsDigest,',
        'it.argumentsDigest !== "",',
      ],
    },
  ),
  ...of('agent-pod/src/deliver/outbox-delivery.ts', ['agent-pod/src/deliver/outbox-delivery.test.ts'], {
    'delivery: what was delivered is known': [
      'return (await stat(this.pathOf(deliveryId)).catch(() => undefined)) !== undefined;',
      'return deliveryId === "";',
    ],
    'delivery: a second delivery changes nothing': [
      "if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;",
      'throw error;',
    ],
  }),
  ...of('agent-pod/src/loop/deliver-reply.ts', ['agent-pod/src/loop/agent-runtime.test.ts'], {
    'delivery: what was delivered is not delivered again': [
      'if (!(await port.isDelivered(reply)))',
      'if (reply.deliveryId !== "")',
    ],
  }),
  ...of(`${gate}/tool-policies.ts`, [`${gate}/compile-gate.test.ts`, `${gate}/verdict-steps.test.ts`], {
    'gate: what is never done is refused': [
      "? verdict('Reject', name, `The character never",
      "? verdict('Escalate', name, `The character never",
    ],
    'gate: the irreversible is asked about': [
      'call.effectClass === IRREVERSIBLE_EFFECT_CLASS',
      'call.effectClass > IRREVERSIBLE_EFFECT_CLASS',
    ],
    'gate: writing outside is asked about': [
      'call.effectClass === ASKING_EFFECT_CLASS &&',
      'call.effectClass > ASKING_EFFECT_CLASS &&',
    ],
    'gate: every host is on the allow-list': ['call.domains.every((host) =>', 'call.domains.some((host) =>'],
    'gate: every path is on the allow-list': [
      'touchedPaths(call, known).every((path) =>',
      'touchedPaths(call, known).some((path) =>',
    ],
    'gate: a script may touch every path': [
      "known.factsOf(call.tool).writes !== 'Anything'",
      'known.factsOf(call.tool).writes !== undefined',
    ],
  }),
  ...of(`${gate}/verdict-steps.ts`, [`${gate}/verdict-steps.test.ts`, `${gate}/compile-gate.test.ts`], {
    'gate: a question undoes no refusal': ["return verdict.kind === 'Reject' ? verdict : (", 'return ('],
  }),
  ...of(`${gate}/override.ts`, [`${gate}/override.test.ts`], {
    'gate: an override is for its digest': ['override.subjectDigest === digest', 'digest !== ""'],
    'gate: an overruled call still needs a yes': [
      "if (gate !== 'Tool' || usableApproval(digest, context) !== undefined)",
      'if (digest !== "")',
    ],
    'gate: only some rules can be overruled': ['|| !isOverridable(gate, rule))', ')'],
  }),
  ...of(`${gate}/provenance/label.ts`, [`${gate}/provenance/label.test.ts`], {
    'gate: untrusted stays untrusted': ["trust: isSecondWorse ? 'Untrusted' : a.trust,", 'trust: a.trust,'],
    'gate: readers only narrow': ['b.filter((it) => isAmong(a, it))', 'b'],
  }),
  ...of(`${gate}/workspace-path.ts`, [`${gate}/workspace-path.test.ts`], {
    'gate: no path leaves the workspace': [
      "if (parts.pop() === undefined) return err('leaves the workspace through ..; stay inside it');",
      'parts.pop();',
    ],
    'gate: no absolute path': ["if (relative.startsWith('/')) {", "if (relative === '/') {"],
  }),
  ...of(`${sandbox}/bubblewrap-arguments.ts`, [`${sandbox}/bubblewrap-arguments.test.ts`], {
    'sandbox: no namespace is shared': ["'--unshare-all',", "'--unshare-pid',"],
    'sandbox: no capability is left': ["...['--cap-drop', 'ALL'],", ''],
    'sandbox: the environment is empty': ["return ['--clearenv', ", 'return ['],
    'sandbox: the root is read-only': ["'--remount-ro', '/dev', '--remount-ro', '/'", "'--remount-ro', '/dev'"],
    'sandbox: a read-only path is mounted so': ["bind.access === 'read-only' ? '--ro-bind' : '--bind'", "'--bind'"],
    'sandbox: the filter is given': ["...['--seccomp', String(descriptors.seccomp),", '...['],
  }),
  ...of(`${sandbox}/read-only-paths.ts`, [`${sandbox}/read-only-paths.test.ts`], {
    'sandbox: directories above a protected file cannot move': [
      "...[...above].map((path) => ({ path, access: 'read-write' }) as const),",
      '',
    ],
  }),
  ...of(`${sandbox}/seccomp-filter.ts`, [`${sandbox}/seccomp-filter.test.ts`], {
    'sandbox: no program types into a terminal': ['isOneOf: [tiocsti, tioclinux]', 'isOneOf: [tioclinux]'],
    'sandbox: no new namespace by clone': ['hasAnyBit: newNamespaceBits', 'hasAnyBit: 0x0200_0000'],
  }),
  ...of('agent-pod/src/tools/fetch-page.ts', ['agent-pod/src/tools/fetch-through-proxy.test.ts'], {
    'network: a proxy resolves only what people named': [
      "    allowedDomains.filter((domain) => domain !== '*'),\n",
      '    allowedDomains,\n',
    ],
  }),
  ...of('agent-pod/src/infer/model-wire.ts', ['agent-pod/src/infer/model-fault.test.ts'], {
    'network: no proxy reads key and prompt': ['return plainProxyFault(base, proxy.value);', 'return undefined;'],
    'network: a page is no answer': ["if (first === '<') {", 'if (first === undefined) {'],
  }),
  ...of('agent-pod/src/infer/model-fault.ts', ['agent-pod/src/infer/model-fault.test.ts'], {
    'network: a failure repeats no prompt': ['if (text.length < ECHO_CHARS) return text;', 'return text;'],
    'network: a failure shows no page': [
      "return text.replace(/<(!doctype|html|head|body)\\b[\\s\\S]*/i, '[a page]');",
      'return text;',
    ],
  }),
  ...of('agent-pod/src/infer/known-fault.ts', ['agent-pod/src/infer/known-fault.test.ts'], {
    'network: a wrong setting is asked once': ["['Misconfigured', 'Authentication']", '[]'],
  }),
  ...of('contract/src/std/proxies.ts', ['contract/src/std/proxies.test.ts'], {
    'network: no proxy leads to this machine': [' || isThisMachine(host) ||', ' ||'],
    'network: no proxy leads into the cluster': [
      "(service === '' ? [] : [service.toLowerCase(), ...CLUSTER_NAMES])",
      '[]',
    ],
  }),
  ...of('packages/kube/src/connect-kubeconfig.ts', ['packages/kube/src/connect.test.ts'], {
    'network: no proxy reads credentials': ["if (server.startsWith('https:')) return found;", 'return found;'],
  }),
  ...of('agent-pod/src/tools/fetch-guard.ts', ['agent-pod/src/tools/fetch-guard.test.ts'], {
    'sandbox: no address of a private network': ['if (labels.length < 2 || PRIVATE_SUFFIXES', 'if (PRIVATE_SUFFIXES'],
    'sandbox: no host that reads two ways': ['if (written !== url.hostname)', 'if (written === "")'],
    'sandbox: no redirect to plain http': [
      "next.ok && from.protocol === 'https:'",
      "next.ok && from.protocol === 'ftp:'",
    ],
  }),
  ...of(`${audit}/walk-chain.ts`, [`${audit}/walk-chain.test.ts`], {
    'auditor: a record continues the one before it': [
      'if (at.expectedPrev !== undefined && prev !== at.expectedPrev)',
      'if (prev === "")',
    ],
    'auditor: no order goes back': ['if (order <= at.order)', 'if (order < 0)'],
    'auditor: no epoch goes back': ['if (epoch < at.epoch)', 'if (epoch < 0)'],
    'auditor: a segment ends in a footer': [
      "if (position.segment === '' || position.sealed)",
      'if (position.line >= 0)',
    ],
  }),
  ...of(`${audit}/compare-heads.ts`, [`${audit}/compare-heads.test.ts`], {
    'auditor: a kept head has its hash': ["met.hash === head.hash ? 'InPlace' : 'Other'", "'InPlace'"],
    'auditor: a cut tail is told': ["if (head.seq > found.lastSeq) return 'BeyondEnd';", ''],
    'auditor: a missing store is told': ['if (!found.exists)', 'if (found.store === "")'],
  }),
  ...of(`${audit}/check-blob.ts`, [`${audit}/check-blob.test.ts`], {
    'auditor: a blob has the content of its hash': [
      "foundBytes === sizeBytes && hash.digest('hex') === sha256",
      'foundBytes === sizeBytes',
    ],
  }),
  ...of(`${audit}/head-record.ts`, [`${audit}/head-record.test.ts`], {
    'auditor: entries are signed': [
      "if (typeof found === 'string' && this.#key.isSigned({ entry, ...value }, found)) return;",
      'return;',
    ],
  }),
  ...of(`${audit}/journal-line.ts`, [`${audit}/journal-line.test.ts`], {
    'auditor: the hash covers the line': [
      'if (hashOf(store, bytes.subarray(0, bytes.length - UNHASHED_BYTES)) !== hash) return unreadable;',
      '',
    ],
  }),
  ...of('operator/src/desired/task/removal.ts', ['operator/src/desired/task/removal.test.ts'], {
    'operator: a Task that Git keeps is not deleted': ['if (gitController !== undefined) return undefined;', ''],
  }),
  ...of('operator/src/apply/with-progress.ts', ['operator/src/apply/with-progress.test.ts'], {
    'operator: what no longer stalls is told again': ["types.has('Ready') && stored.some", 'stored.every'],
  }),
  ...of('packages/mind/src/cycle/withdraw-approvals.ts', ['test/unit/character-changed.test.ts'], {
    'gate: a question stays only where the same rule asks it': [
      "step.verdict.kind === 'Escalate' && reason.startsWith(step.verdict.reason)",
      "step.verdict.kind === 'Escalate'",
    ],
  }),
  ...of('operator/src/desired/agent/boot-documents.ts', ['test/unit/pool-in-force.test.ts'], {
    'cluster: an agent knows how many programs may run': ["pool: ['size'],", "pool: ['size', 'maxConcurrent'],"],
  }),
  ...of('operator/src/reconcile/sandbox-run-seed.ts', ['operator/src/reconcile/sandbox-run-ground.test.ts'], {
    'cluster: the next leader knows under what cold code began': [
      'groundOf(annotations?.[ANNOTATIONS.canaryGround])',
      'groundOf(undefined)',
    ],
    'cluster: the next leader knows under what warm code began': ['groundOf(networkDigest)', 'groundOf(undefined)'],
  }),
  ...of('agent-pod/src/input/task-decisions.ts', ['agent-pod/src/input/task-decisions.test.ts'], {
    'cluster: the record has who let a run go on': ['by: ANNOTATIONS.continuedBy,', 'by: ANNOTATIONS.cancelledBy,'],
    'cluster: a decision for no request of the run is told': ['!request.startsWith(`${runId}-`)', 'false'],
  }),
  ...of('agent-pod/src/loop/cycle-driver.ts', ['test/unit/character-changed.test.ts'], {
    'loop: a cycle records under which character it goes on': [
      'if (isOther) await running.instance.feed(',
      'if (!isOther) await running.instance.feed(',
    ],
  }),
  ...[...approvalMutants, ...gateMutants, ...verdictMutants, ...requiredMutants],
  ...[...inferMutants, ...weakModelMutants, ...outageMutants, ...surroundingsMutants],
  ...[...mailDialogueMutants, ...mailMutants, ...letterMutants],
  ...[...jobMutants, ...memoryMutants, ...linkMutants],
];
