import type { ClientCall } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getDocument,
  getLegalDocument,
  getTemplateText,
  listDocuments,
  listLegalDocuments,
  listTemplates,
  listTemplateVersions,
} from '../client.ts';

const rereads = async (cache: QueryClient, calls: readonly ClientCall[]): Promise<void> => {
  await Promise.all(calls.map((call) => cache.invalidateQueries({ queryKey: queryKeyOf(call) })));
};

/** Reads a person’s documents again: one was signed, or turned out to be closed. */
export const rereadOwn = (cache: QueryClient): Promise<void> =>
  rereads(cache, [getLegalDocument, listLegalDocuments]);

/** Reads what admins see of templates and documents again, after a change of theirs. */
export const rereadAll = (cache: QueryClient): Promise<void> =>
  rereads(cache, [getDocument, getTemplateText, listDocuments, listTemplates, listTemplateVersions]);
