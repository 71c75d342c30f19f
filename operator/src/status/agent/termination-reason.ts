/** The termination message of a container of an agent's pod. Anything but a known reason and a bounded text is not trusted. Pure. */
import { parseJson } from '@retainer/contract/std/parse-json';
import { TerminationMessage } from '@retainer/contract/wire/termination-message';

/** @param text  a container's termination message: at most 4 KiB by the kubelet */
export function terminationReason(text: string | undefined): TerminationMessage | undefined {
  return TerminationMessage.safeParse(parseJson(text ?? '')).data;
}
