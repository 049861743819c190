import ProviderKit

/// What the pages look like: phone first, a card from a tablet on, light and dark by the browser's wish. Sizes follow the
/// browser's font size; whatever is touched is at least 44 px high; all texts have a contrast of 4.5 to 1 and all borders
/// of fields one of 3 to 1 (WCAG 2.2 AA).
enum Style {
  /// The card's colours as the browser's own frame takes them on a phone.
  static let lightFrame = "#fff"
  static let darkFrame = "#17191f"

  static let sheet: HTML = """
    :root{color-scheme:light dark;--page:#f4f5f8;--card:#fff;--ink:#14161b;--soft:#585e6b;--line:#868c99;--hair:#e2e4ea;--fill:#2348dc;--over:#1a39b8;--on:#fff;--link:#2348dc;--tint:#e9edff;--bad:#a8211a;--bad-tint:#fdecea;--good:#17623a;--good-tint:#e6f5ec}
    @media(prefers-color-scheme:dark){:root{--page:#0e1014;--card:#17191f;--ink:#f2f4f8;--soft:#a7aebb;--line:#747b89;--hair:#2a2e37;--fill:#93b0ff;--over:#b3c7ff;--on:#0b1330;--link:#a3bbff;--tint:#1f2742;--bad:#ffb3aa;--bad-tint:#391d1b;--good:#92dbab;--good-tint:#15301f}}
    *,::before,::after{box-sizing:border-box}
    [hidden]{display:none!important}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%;background:var(--card)}
    body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;color:var(--ink);background:var(--card);overflow-wrap:anywhere}
    main{width:100%;max-width:27rem;margin:0 auto;padding:2rem 1.25rem 1.5rem;flex:1}
    h1{font-size:1.625rem;line-height:1.25;letter-spacing:-.015em;font-weight:700;margin:0 0 1.25rem;text-wrap:balance;-webkit-hyphens:auto;hyphens:auto}
    h2{font-size:1.0625rem;line-height:1.4;font-weight:650;margin:2.25rem 0 .625rem}
    p{margin:0 0 1rem;text-wrap:pretty}
    .lead{color:var(--soft);margin:-.75rem 0 1.5rem}
    .lead b,.lead bdi{color:var(--ink);font-weight:600}
    a{color:var(--link);text-underline-offset:.2em;text-decoration-thickness:1px}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    [tabindex="-1"]:focus{outline:none}
    .top{display:flex;align-items:center;margin-bottom:1.5rem;min-height:3.5rem}
    .tile,.avatar{flex:none;width:3.5rem;height:3.5rem;border-radius:.875rem;display:grid;place-items:center;overflow:hidden;font-size:1.5rem;font-weight:650;line-height:1;background:var(--tint);color:var(--link);border:1px solid transparent}
    .tile img{width:100%;height:100%;object-fit:contain;display:block}
    .logo{background:none}
    .round{border-radius:50%}
    .speed{background:var(--fill);color:var(--on)}
    .speed svg{width:1.75rem;height:1.75rem}
    .top hr{width:2.25rem;margin:0 .5rem;border:0;border-top:2px dotted var(--line)}
    :lang(ja){word-break:auto-phrase}
    .field{margin:0 0 1.125rem}
    label{display:block;font-weight:600;font-size:.9375rem;margin-bottom:.375rem}
    input{display:block;width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.75rem;appearance:none}
    input:hover{border-color:var(--ink)}
    input:focus-visible{outline-offset:0;outline-width:2px;border-color:var(--link)}
    input[readonly]{background:var(--page);border-color:var(--hair);color:var(--soft)}
    input[aria-invalid]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
    .code{font-size:1.5rem;line-height:1.2;letter-spacing:.28em;text-indent:.28em;text-align:center;font-variant-numeric:tabular-nums;min-height:3.5rem}
    .secret{position:relative}
    .secret input{padding-right:3.25rem}
    .eye{position:absolute;right:.125rem;bottom:.125rem;width:2.75rem;height:2.75rem;min-height:0;padding:.625rem;margin:0;border:1px solid transparent;background:none;color:var(--soft)}
    .eye:hover{color:var(--ink);background:none}
    .eye svg{display:block;width:100%;height:100%}
    .eye[data-shown] .lid{display:none}
    .hint{font-size:.875rem;line-height:1.45;color:var(--soft);margin:.375rem 0 0}
    .wrong{font-size:.875rem;line-height:1.45;color:var(--bad);font-weight:500;margin:.375rem 0 0}
    .alert,.note{border-radius:.75rem;padding:.75rem .875rem;margin:0 0 1.25rem;font-weight:500;border:1px solid transparent}
    .alert{color:var(--bad);background:var(--bad-tint)}
    .note{color:var(--good);background:var(--good-tint)}
    button,.button{display:flex;align-items:center;justify-content:center;gap:.625rem;width:100%;min-height:3rem;padding:.5rem 1rem;margin:0;font:inherit;font-weight:600;line-height:1.25;text-align:center;text-decoration:none;border:1px solid transparent;border-radius:.75rem;background:var(--fill);color:var(--on);cursor:pointer;-webkit-hyphens:auto;hyphens:auto;-webkit-tap-highlight-color:transparent}
    button:hover,.button:hover{background:var(--over)}
    .second{background:none;color:var(--ink);border-color:var(--line)}
    .second:hover{background:var(--page)}
    .plain{background:none;color:var(--link);min-height:2.75rem;font-weight:500}
    .plain:hover{background:none;text-decoration:underline}
    .danger{background:none;color:var(--bad);border-color:currentColor}
    .danger:hover{background:var(--bad-tint)}
    button svg,.button svg{flex:none;width:1.25rem;height:1.25rem}
    button+button{margin-top:.625rem}
    .go{margin-top:1.5rem}
    .or{display:flex;align-items:center;gap:.75rem;margin:.875rem 0 1rem;color:var(--soft);font-size:.875rem}
    .or::before,.or::after{content:"";flex:1;border-top:1px solid var(--hair)}
    .aside{display:flex;flex-wrap:wrap;align-items:center;justify-content:center;column-gap:.375rem;margin:1rem 0 0;color:var(--soft);text-align:center}
    .aside a,.aside button{display:inline-flex;align-items:center;width:auto;min-height:2.75rem;padding:0 .25rem;font-weight:500}
    .aside button{padding:0 .25rem;text-decoration:underline;text-underline-offset:.2em;text-decoration-thickness:1px}
    .needs-passkeys{display:none}
    .passkeys .needs-passkeys{display:block}
    .passkeys .no-passkeys{display:none}
    .person{display:flex;align-items:center;gap:.75rem;padding:.75rem .875rem;border:1px solid var(--hair);border-radius:.875rem}
    .person>div{min-width:0}
    .avatar{width:2.5rem;height:2.5rem;border-radius:50%;font-size:1.0625rem}
    .name{font-weight:600;line-height:1.35}
    .dim{color:var(--soft);font-size:.875rem;line-height:1.45}
    .other{margin:0 0 .75rem}
    .before{margin:0 0 .25rem}
    .promise{display:flex;gap:.625rem;margin:0 0 1.5rem}
    .promise svg{flex:none;width:1.25rem;height:1.25rem}
    .gets{list-style:none;margin:0 0 1rem;padding:0}
    .gets li{display:flex;gap:.625rem;align-items:flex-start;padding:.3125rem 0}
    .gets svg{flex:none;width:1.25rem;height:1.25rem;margin-top:.125rem;color:var(--link)}
    footer{display:flex;align-items:center;justify-content:center;gap:.5rem;padding:1rem 1.25rem 1.5rem;color:var(--soft);font-size:.875rem;text-align:center}
    footer svg{flex:none;width:1rem;height:1rem}
    form[data-sent] button{opacity:.6}
    @media(min-width:34rem){
    html,body{background:var(--page)}
    main{flex:none;margin-top:auto;padding:2.5rem 2.5rem 2rem;background:var(--card);border:1px solid var(--hair);border-radius:1.5rem;box-shadow:0 1px 2px #0000000a,0 12px 40px #0000000f}
    body::before{content:"";flex:none;height:2rem}
    footer{margin-bottom:auto;padding:1.25rem 1.25rem 2rem}
    }
    @media(prefers-reduced-motion:no-preference){
    button,.button,input{transition:background-color .15s,border-color .15s,opacity .15s}
    }
    @media(forced-colors:active){
    input[aria-invalid]{outline:2px solid Mark}
    .tile,.avatar,.alert,.note,.badge{border-color:currentColor}
    }
    """

  /// Beside it, what the account's page has: a wider card, and lists whose rows open.
  static let lists: HTML = """
    .list{list-style:none;margin:0;padding:0;border:1px solid var(--hair);border-radius:.875rem}
    .list>li+li{border-top:1px solid var(--hair)}
    .row{display:flex;flex-wrap:wrap;align-items:center;column-gap:.75rem;min-height:3.5rem;padding:.625rem .875rem}
    .row>:first-child{flex:1 1 9rem;min-width:0}
    .bit{display:inline-block}
    .row form{flex:none}
    summary{list-style:none;cursor:pointer;border-radius:.8125rem}
    summary::-webkit-details-marker{display:none}
    summary:focus-visible{outline-offset:-3px}
    .act{color:var(--link);font-weight:500}
    summary:hover .act{text-decoration:underline;text-underline-offset:.2em;text-decoration-thickness:1px}
    .row .plain{width:auto;padding:0 .25rem;margin:0 -.25rem}
    details[open]>summary .act{color:var(--soft)}
    .edit{padding:.25rem .875rem .875rem}
    .edit p{margin:0 0 .875rem}
    .edit .hint,.edit .wrong{margin:.375rem 0 0}
    .badge{display:inline-block;font-size:.8125rem;line-height:1.5;font-weight:600;color:var(--good);background:var(--good-tint);border-radius:1rem;padding:0 .5rem;border:1px solid transparent}
    .after{margin-top:.75rem}
    @media(min-width:34rem){
    .wide{max-width:40rem}
    .wide .edit form{max-width:24rem}
    }
    """
}
