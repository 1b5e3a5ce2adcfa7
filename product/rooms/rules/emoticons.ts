/** Shortcodes and their emoji; pages replace them. */
export const EMOTICONS: Readonly<Record<string, string>> = {
  ':)': '🙂', ':-)': '🙂', ':D': '😄', ':-D': '😄', ';)': '😉', ';-)': '😉', ':(': '🙁', ':-(': '🙁',
  ':P': '😛', ':-P': '😛', ':O': '😮', ':*': '😘', ":'(": '😢', '<3': '❤️', '</3': '💔', 'B)': '😎',
  ':smile:': '😄', ':grin:': '😁', ':joy:': '😂', ':wink:': '😉', ':blush:': '😊', ':heart_eyes:': '😍',
  ':kiss:': '😘', ':cool:': '😎', ':thinking:': '🤔', ':cry:': '😢', ':sob:': '😭', ':angry:': '😠',
  ':hearts:': '💕', ':heart:': '❤️', ':fire:': '🔥', ':star:': '⭐', ':sparkles:': '✨', ':rose:': '🌹',
  ':clap:': '👏', ':wave:': '👋', ':thumbsup:': '👍', ':thumbsdown:': '👎', ':pray:': '🙏',
  ':muscle:': '💪', ':party:': '🎉', ':gift:': '🎁', ':cake:': '🎂', ':champagne:': '🍾',
  ':coffee:': '☕', ':candle:': '🕯️', ':music:': '🎵', ':moon:': '🌙', ':sun:': '☀️', ':rainbow:': '🌈',
  ':100:': '💯', ':eyes:': '👀',
};
