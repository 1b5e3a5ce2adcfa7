import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_TAG_PAGES, TAG_SORTS } from '../rules/popular/tags.ts';

export const tagListUnknown = refusal({
  slice: 'browse',
  code: 'tag_list_unknown',
  kind: 'absent',
  description: 'There is no tag list of this name: the four are girls, couples, men and trans.',
});

const TagEntry = z.object({
  /** The slug, and the words it stands for. */
  tag: z.string(),
  name: z.string(),
  /** Online performers with the tag, and their viewers. */
  count: z.int(),
  viewers: z.int(),
  /** Address of its listing. */
  path: z.string(),
});

/** Tags data (spec 3 §3). */
export const TagsData = z.object({
  /** Pairs of tags that occur together most often. */
  combo: z.array(z.object({
    tagList: z.array(z.string()),
    name: z.string(),
    count: z.int(),
    path: z.string(),
  })),
  tag_list: z.array(TagEntry),
  /** Total number of tags. */
  tag_count: z.int(),
  page: z.int(),
  perPageCount: z.int(),
  sort: z.enum(TAG_SORTS),
});
export type TagsDataView = z.infer<typeof TagsData>;

const paging = {
  page: z.int().min(1).max(MAX_TAG_PAGES).optional(),
  sort: z.enum(TAG_SORTS).optional(),
};

export const tagIndex = call({
  name: 'browse.tagIndex',
  method: 'GET',
  path: '/tags/index',
  access: 'anyone',
  credential: 'cookie',
  input: z.object(paging),
  output: TagsData,
  refusals: [],
  summary: 'Every tag of performers who are online',
  requirements: ['C-095', 'C-281'],
  description: '100 a page: by performers (`popular`, as usual), by `name`, or by `viewers`. Counts only '
    + 'this viewer may see; a tag that nobody else has is not there.',
});

export const tagsOfGender = call({
  name: 'browse.tagsOfGender',
  method: 'GET',
  path: '/tags/:gender',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ gender: z.string().max(24), ...paging }),
  output: TagsData,
  refusals: [tagListUnknown],
  summary: 'The tags of one gender',
  requirements: ['C-282', 'C-366'],
  description: '`gender` is `girls`, `couples`, `men` or `trans`. As tags/index.',
});
