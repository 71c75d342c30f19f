/** Tools on the files of the workspace. */
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';
import { editFile } from './edit-file.ts';
import { findFiles } from './find-files.ts';
import { searchFiles } from './search-files.ts';
import type { PodPart } from '../pod-part.ts';

export const filesPod: PodPart = {
  name: 'files',
  tools: [listFiles, readFile, writeFile, editFile, findFiles, searchFiles],
};
