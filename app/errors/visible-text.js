/**
 * Shows the texts of strangers as text. Control characters command a terminal, direction characters change the order of
 * what is read, and invisible ones make different texts look the same.
 */

/** Joiners within an emoji, or in a script whose letters join. */
const JOINER = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])`;
/** The letters behind the black flag that make it the flag of a region. */
const REGION = String.raw`(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0020}-\u{e007f}]`;
/** The place of a missing part of an old Korean syllable. */
const FILLER = String.raw`\u115f(?=[\u1161-\u11a7])|(?<=[\u1100-\u115e])\u1160`;
/** Marks are drawn with the character before them. */
const VISIBLE = String.raw`${JOINER}|${REGION}|${FILLER}|\p{M}`;
/** Default_Ignorable_Code_Point has all direction characters, and all invisible ones except FFF9 to FFFB. */
const HIDDEN = String.raw`(?!${VISIBLE})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Is made when it is first used: that takes a millisecond, and each process has this module. @type {RegExp} */
let made;
const hidden = () => (made ??= new RegExp(HIDDEN, 'gu'));
/** A text of these is shown as it is; most are. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** Tells whether a text has hidden characters. Tabs and line breaks are some. @param {string} text */
export const hasHidden = (text) => text.search(hidden()) >= 0;

/** Replaces the hidden characters of a text. @param {string} text @param {(character: string) => string} replace */
export const replaceHidden = (text, replace) => text.replace(hidden(), replace);

/** Shows hidden characters as JSON escapes, except tabs and line breaks. @param {string} text @returns {string} */
export const visibleText = (text) => (PLAIN.test(text) ? text : text.replace(hidden(), escape));

/** Indents all lines of a text except the first: a message of strangers makes no line of pitv. @param {string} text */
export const indentLines = (text) => text.replaceAll('\n', '\n  ');

/** A worker of strangers can have it called 64 Ki times at once. @param {string} character */
function escape(character) {
  if (character === '\n' || character === '\t') return character;
  let escaped = '';
  for (let i = 0; i < character.length; i++) {
    escaped += `\\u${(0x10000 + character.charCodeAt(i)).toString(16).slice(1)}`;
  }
  return escaped;
}
