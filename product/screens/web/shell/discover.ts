/** Ways to find performers besides the sections: id of the text, path of the page. */
export const DISCOVER = [
  { id: 'models', to: '/models' },
  { id: 'tags', to: '/tags' },
  { id: 'top', to: '/top' },
  { id: 'mostLiked', to: '/most-liked' },
  { id: 'contests', to: '/contests' },
] as const;

/** Feeds, one for each gender. */
export const FEEDS = [
  { id: 'girls', to: '/girls/feed' },
  { id: 'couples', to: '/couples/feed' },
  { id: 'men', to: '/men/feed' },
  { id: 'trans', to: '/trans/feed' },
] as const;
