/** How the site is searched. A question is typed as a sentence; what counts are the words that tell pages apart. */
export const search = {
  options: {
    // VitePress sends the text of this function to the browser, so that it can use nothing around it.
    processTerm(term) {
      const fillers =
        'a an and are as at be before but by can could do does for from has have how i if in into is it its me my ' +
        'of on or only so some than that the their them then there these they this to use using was we what when ' +
        'where which why will with you your'
      const word = term.toLowerCase()
      return fillers.split(' ').includes(word) ? null : word
    },
  },
  searchOptions: {
    prefix: word => word.length > 2,
    fuzzy: word => (word.length > 5 ? 0.2 : false),
    // A page that explains comes before one that lists the same words.
    boostDocument: page => (page.includes('/api/') ? 0.5 : 1),
  },
}
