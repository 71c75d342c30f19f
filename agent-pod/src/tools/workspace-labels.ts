/**
 * The labels of what stands in the workspace, by the record (`mind/memory/files.ts`) and the bytes that are there.
 *
 * I1  The digest is that of the opened file, before and after which its metadata are the same: a file that is replaced or changed
 *     between look and use gains nothing.
 * I2  Only a file that may be trusted is hashed: one that the record does not trust, or has in another size, needs no digest.
 * I3  What is read through links has the label of them all and of what they lead to, together. Where they do not lead to what was
 *     read, nobody knows who chose it.
 */
import { createHash } from 'node:crypto';
import { readlink, realpath } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { join, OWNER, type Label } from '@retainer/mind/gate/provenance/label';
import { labelOfFile, labelOfNames, type SeenFile } from '@retainer/mind/parts/files/files';
import type { FilesPort } from '../ports/tool.ts';
import { FileDigests, fingerprintOfOpened, isSame } from './file-digests.ts';
import { wayTo } from './links-on-way.ts';
import { openWorkspaceFile, type FoundDirectory, type OpenedFile } from './workspace-file.ts';
import type { Fingerprint, WalkEntry } from './workspace-walk.ts';

/** Words of a tool, with nothing of what it looked at. */
export const ownWords: Label = { source: { kind: 'Tool' }, trust: 'Trusted', readers: 'Everyone' };

/** Of what nobody knows. */
export const unknownFiles: Label = { source: { kind: 'Workspace' }, trust: 'Untrusted', readers: [OWNER] };

export class WorkspaceLabels {
  readonly #workspaceDirectory: string;
  readonly #files: Pick<FilesPort, 'known'>;
  readonly #digests: FileDigests;

  constructor(workspaceDirectory: string, files: Pick<FilesPort, 'known'>, clock: Pick<Clock, 'nowMs'>) {
    this.#workspaceDirectory = workspaceDirectory;
    this.#files = files;
    this.#digests = new FileDigests(clock);
  }

  /**
   * The label of what was just read of a file. At once if its digest is known or nobody needs it.
   *
   * @param path    relative to the workspace, as the record names it
   * @param before  its metadata before it was read
   */
  ofRead(path: string, opened: OpenedFile, before: Fingerprint): Label | Promise<Label> {
    const { handle, name, place } = opened;
    if (name !== place) return this.#ofReadThroughLinks(opened, before);
    const labelled = (digest: string | undefined): Label => {
      const isStill = digest !== undefined && isSame(before, fingerprintOfOpened(handle));
      return this.#labelOf({ path, digest: isStill ? digest : undefined });
    };
    if (!this.#mayTrust(path, before.sizeBytes)) return labelled(undefined);
    const digest = this.#digests.find(path, before);
    return digest === undefined ? this.#digests.of(path, handle).then(labelled) : labelled(digest);
  }

  async #ofReadThroughLinks(opened: OpenedFile, before: Fingerprint): Promise<Label> {
    const { place } = opened;
    const links = await this.ofWay(opened);
    const own = await this.ofRead(place, { ...opened, name: place }, before);
    return links === undefined ? own : join(links, own);
  }

  /** The label of the links on the way to a file or directory. Undefined: there is none. */
  async ofWay({ name, place }: FoundDirectory): Promise<Label | undefined> {
    if (name === place) return undefined;
    const way = await wayTo(await realpath(this.#workspaceDirectory), name).catch(() => undefined);
    if (way?.place !== place) return unknownFiles;
    return way.links
      .map((it) => this.#ofLink(it.path, it.text))
      .reduce<Label | undefined>((label, link) => (label === undefined ? link : join(label, link)), undefined);
  }

  #ofLink(path: string, text: Uint8Array): Label {
    return this.#labelOf({ path, digest: sha256Hex(text), isLink: true });
  }

  async ofPath(path: string): Promise<Label> {
    const opened = await openWorkspaceFile(this.#workspaceDirectory, path);
    if (!opened.ok) return this.#labelOf({ path, digest: undefined });
    const { handle } = opened.value;
    try {
      return await this.ofRead(path, opened.value, fingerprintOfOpened(handle));
    } finally {
      await handle.close();
    }
  }

  ofBytes(path: string, bytes: Uint8Array): Label {
    return labelOfFile(this.#files.known(), { path, digest: createHash('sha256').update(bytes).digest('hex') });
  }

  /** @param principal  of the run. The label of a list that names these files and directories, and shows no content. */
  ofNames(paths: readonly string[], principal?: string): Label {
    return labelOfNames(
      this.#files.known(),
      paths.map((path) => this.#recorded(path)),
      principal,
    );
  }

  /**
   * The label of a file that a walk found, or of the text of a link. At once if its digest is known or nobody needs it, as for almost
   * all of a thousand files.
   */
  ofEntry(entry: WalkEntry): Label | Promise<Label> {
    const { path, kind, sizeBytes, fingerprint } = entry;
    if (kind === 'Link') return this.#ofLinkAt(entry);
    if (!this.#mayTrust(path, sizeBytes)) return this.#labelOf({ path, digest: undefined });
    const digest = this.#digests.find(path, fingerprint);
    return digest === undefined ? this.ofPath(path) : this.#labelOf({ path, digest });
  }

  #ofLinkAt({ path, sizeBytes }: WalkEntry): Label | Promise<Label> {
    const unknown = this.#labelOf({ path, digest: undefined, isLink: true });
    if (!this.#mayTrust(path, sizeBytes)) return unknown;
    const place = joinPath(this.#workspaceDirectory, path);
    return readlink(place, { encoding: 'buffer' }).then(
      (text) => this.#ofLink(path, text),
      () => unknown,
    );
  }

  #labelOf({ path, ...stands }: SeenFile): Label {
    return labelOfFile(this.#files.known(), { path: this.#recorded(path), ...stands });
  }

  /** Tools name a file in NFC, whatever its name on the disk is; programs leave it as it is. */
  #recorded(path: string): string {
    return this.#files.known().has(path) ? path : path.normalize('NFC');
  }

  #mayTrust(path: string, sizeBytes: number): boolean {
    const row = this.#files.known().get(this.#recorded(path));
    return row !== undefined && row.trusted && row.sizeBytes === sizeBytes;
  }
}
