import { recordingsSlice } from '#product/recordings/server.ts';
import type { TestSite } from '../site.ts';

/** The recordings of a site as a process that starts on its data has them; not yet started. */
export function recordingsAgain(site: TestSite): ReturnType<typeof recordingsSlice> {
  const { accounts, broadcast, compliance, site: sites } = site.services;
  return recordingsSlice({
    data: site.data,
    site: sites,
    accounts,
    compliance,
    broadcast,
    outputs: site.outputs,
    extensions: site.extensions,
    folder: site.folder,
    onError: (error) => {
      throw error;
    },
  });
}
