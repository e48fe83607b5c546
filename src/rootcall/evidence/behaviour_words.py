"""The words by which an answer without a call shows what it does: asks, refuses, hands over, sends away, is polite.

One table a kind, one entry a language, as parts of a pattern. English, German, Spanish, Korean and Japanese are read in
full; of French, Portuguese, Italian, Dutch and Chinese only what hands over and what is a polite closing. How the kinds
are weighed against each other is `rootcall.evidence.behaviour`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

__all__ = ["Kind", "pattern"]

Kind = Literal[
    "closing", "filler", "thanks", "done", "promise", "need", "to_me", "polite_request", "confirm", "permission", "offer", "if_liked", "cannot",
    "impossible", "unfound", "without", "handover", "human", "redirect", "contrast", "condition", "pending", "open_question", "question",
    "negation", "instruction", "act_request", "favour", "status_request", "lookup_request", "fact_request", "way_request", "text_request", "thanks_request", "send_request", "human_request",
]  # fmt: skip

# Persons and offices that a matter is given to.
_HUMANS: Final = {
    "en": r"(?:team|colleagues?|co-?workers?|agents?|person|someone|human|support|staff|managers?|management|engineers?|specialists?|experts?|office|desk|supervisors?|"
    r"operators?|departments?|people|representatives?|advis[oe]rs?|technicians?|on[- ]?call|clerks?|case ?workers?|billing|accounting|legal|security)",
    "de": r"(?:\w*(?:kolleg(?:e|en|in|innen)|mitarbeiter(?:in|n|s|innen)?|ansprechpartner\w*|team|teams|abteilung|leitung|leiter(?:in)?|techniker(?:in|n)?|sachbearbeiter\w*|berater(?:in|n|innen)?|vorgesetzte[rn]?|"
    r"support|expert(?:e|en|in)|spezialist(?:en|in)?|buchhaltung|manager(?:in)?|kundenservice|kundendienst|notdienst|bereitschaft(?:sdienst)?|redaktion|verwaltung|beauftragte[rn]?|dienst|ärztin|arzt|ärzte|anwalt|anwältin|psycholog(?:e|in)|lehrkraft|lehrer(?:in)?|pfleger(?:in)?|trupp|zentrale|leitstelle|monteur(?:in|e)?|ingenieur(?:in|e)?|administrator(?:in|en)?|feuerwehr|polizei|notruf|rettungsdienst|management|sicherheit|vertrieb|personal|stelle|sekretariat|fachbereich)|herrn? \w+|frau \w+|menschen|mensch|jemand(?:en|em)?|agent(?:en|in)?|person)",
    "es": r"(?:agentes?|compañer\w+|colegas?|equipos?|responsables?|especialistas?|supervisor\w*|personas?|departamentos?|asesor\w*|técnic\w+|operador\w*|soporte|área de|human[oa]s?|gestor\w*|expert[oa]s?|gerentes?|gerencia|"
    r"jef[ea]s?|encargad[oa]s?|servicio de|personal|alguien|ejecutiv[oa]s?|representantes?|coordinador\w*|unidad de|dirección|seguridad|calidad|reclamaciones|atención al cliente|facturación|emergencias|bomberos|policía|delegad[oa]s?|central|administración|contabilidad|orientador\w*|psicólog\w*|enfermer\w*|doctora?|profesora?|tutora?|de nóminas|recursos humanos|director\w*|médic[oa]s?|abogad[oa]s?|jurídico)",
    "ko": r"(?:상담(?:원|사|팀)|담당|직원|팀|부서|관리자|매니저|전문가|전문 ?상담|엔지니어|기술 ?지원|상급자|책임자|운영진|센터|본사|지점장|상사|기사님|사람|의료진|[가-힣]{2,4} ?님(?:께|에게|이|께서)|선생님|팀장|과장|부장|점장|실장|간호사|변호사|세무사|본부|사무국|관제실|사무소|관계자|경찰|소방|119|112|위원회|기관)",
    "ja": r"(?:担当|オペレーター|スタッフ|専門(?:の|家|部|チーム|ス)|専任|係の|係員|係り|上司|上席|上長|責任者|人間|有人|サポート|チーム|部門|部署|管理者|マネージャー|エンジニア|窓口|本部|店長|技術者|関係者|事務局|経理|法務|相談室|さん(?=[にへがの]|から)|弁護士|相談員|先生|担任|カウンセラー|部長|課長|主任|看護師|医師|技師|整備士|業者|センター|作業員|隊員|管制室|救助員|消防|警察|管理会社|[一-鿿]部(?=[にへがよ])|[一-鿿]課(?=[にへがよ]))",
}
# How it is given, or what the person then does.
_GIVES: Final = {
    "en": r"(?:pass(?:ed|ing)?|hand(?:ed|ing)?|transferr?(?:ed|ing)?|escalat(?:ed?|ing)|forward(?:ed|ing)?|rout(?:ed|ing)|connect(?:ed|ing)?|referr?(?:ed|ing)?|rais(?:ed|ing)|flagg?(?:ed|ing)?|paged?|notified|alerted|informed|"
    r"put(?:ting)? you (?:through|in touch)|looping in|looped in|bringing in|brought in|getting you|assigned|reported (?:this|it|your)|asked|sent (?:this|it|your)|submitted|opened a (?:ticket|case))",
    "de": r"(?:leite|leiten|gebe|geben|reiche|verbinde|verbinden|vermittle|stelle|übermittle|melde|gemeldet|eingereicht|übergeben|übergebe|informiere|informiert|verständigt|verständige|benachrichtigt|benachrichtige|gebeten|beauftragt|beauftrage|"
    r"eingeschaltet|hinzugezogen|kontaktiert|alarmiert|zugewiesen|vorgelegt|verbunden|geschickt|weiter(?!helf|hilf)\w+|angefordert|abgegeben|durchgestellt|aufgemacht|eröffnet)",
    "es": r"(?:transferid\w*|transfiero|transferir\w*|derivad\w*|derivo|derivar\w*|escalad\w*|escalo|escalar\w*|remitid\w*|remito|remitir\w*|trasladad\w*|traslado|trasladar\w*|redirig\w*|redirij\w*|elevad[oa]|elevo|elevaré|pas(?:ado|o|é|aré|ar)|comunic(?:o|ado|aré|ar)|"
    r"conect(?:o|ado|aré|ar|ando)|pong[oa]|puesto|pondré|notific(?:ado|o|aré)|avis(?:ado|o|aré|ar)|inform(?:ado|o|aré|é)|reenvi\w+|reenvío|envi(?:ado|aré|é)|envío|alert(?:ado|o|é)|abierto|abrí|abro|pedido|pediré|asign(?:ado|o|aré)|solicit(?:ado|aré|é|o)|pedido a|reportad[oa]|reporto|reporté|hecho llegar|haré llegar|mandad[oa]|mandé|mandar(?:le|te|lo|la)?|enviar(?:le|te)|uniendo|transmit\w+|consultado|consultaré|contactado)",
    "ko": r"(?:이관|넘기|넘겼|넘겨|전달|연결|인계|접수|에스컬|이첩|보고|배정|요청|알렸|알려 ?(?:두|놓|드)|알리|공유|문의|검토|확인|연락|전화|회신|처리|방문|도와|조치|올려|올렸|올리|답변|조사|응대|안내해|살펴|맡|신고|출발|호출|출동|부탁)",
    "ja": r"(?:引き継|引継|つな|繋|転送|エスカレ|回し|回付|申し送|報告|共有|依頼|連絡|折り返|伝え|渡し|移管|取り次|代わ|確認|対応|交代|送(?:り|信|付)|申請|調査|相談|電話|訪問|伺|検討|申し伝|手配|通知|通報|回答|要請|託し|呼び|呼ん|出発|向か|派遣|頼(?:み|ん)|お願い(?:し|いた))",
}
_TAKES_DE: Final = r"(?:meldet|melden|kümmert|kümmern|übernimmt|übernehmen|kontaktiert|kontaktieren|prüft|prüfen|setzt sich|setzen sich|ruft|rufen|bearbeitet|antwortet|wird sich|werden sich|wird (?:sie|dich|ihnen)|werden (?:sie|dich)|schaut (?:sich|bereits|schon|gerade)|arbeitet|entscheidet|schreibt|schickt|sucht|erstellt (?:das|ein|ihr|ihnen|dir)|(?:ist|sind) (?:\w+ )?(?:unterwegs|losgefahren|informiert)|weiß bescheid|kommt)"
_GIVE_EN = (
    r"(?:provide|specify|tell|share|give|send|confirm|clarify|let (?:me|us) know|indicate|choose|select|state|describe|name|supply|enter|upload|"
    r"list|elaborate|identify|submit|forward|attach|verify|be more specific|mention|narrow)"
)
_WHAT_EN = r"(?:what|which|when|where|who|whom|whose|how many|how much|how long|how often|how far|the|your|whether|if you (?:mean|meant|are looking|want))"

_WORDS: Final[Mapping[Kind, Mapping[str, str]]] = {
    # A polite end that asks nothing of the matter.
    "closing": {
        "en": r"\b(?:anything else|something else (?:i can|you)|else (?:i can|can i|may i|you(?:['’]d| would)? (?:like|need)|do you need)|(?:any|need|have|with) further (?:assistance|help|questions|queries|requests)|"
        r"(?:any|have|with) (?:other|more|additional) (?:questions?|requests?|concerns?|things?)|have (?:any )?questions|how (?:else )?(?:can|may|could) i (?:\w+ )?(?:help|assist|be of)|"
        r"what (?:else )?(?:can|may|could) i (?:help|assist|do)\b|glad to help|happy to help (?:with )?(?:you )?(?:further|again|anytime|if)|feel free to|don['’]t hesitate|do not hesitate|"
        r"(?:hope|trust) (?:this|that) (?:\w+ )?(?:helps|answers)|need (?:any )?(?:more|further) (?:help|assistance|information|details)|have a (?:great|nice|good|wonderful|lovely)|does (?:this|that) (?:help|answer))\b",
        "de": r"\b(?:(?:weitere|andere|noch|irgendwelche|zusätzliche) (?:\w+ )?(?:fragen|hilfe|wünsche|anliegen)|sonst noch|noch etwas|noch (?:was|irgendetwas)|etwas anderes (?:für|tun|helfen)|noch (?:weiter)?(?:helfen|behilflich)|weiterhelfen\?|"
        r"(?:sonst|außerdem|darüber hinaus|ansonsten) (?:\w+ ){0,4}(?:helfen|tun|behilflich|unterstützen)|was kann ich (?:\w+ ){0,4}(?:für|tun)|wie kann ich (?:\w+ ){0,3}(?:helfen|behilflich|unterstützen)|womit kann ich|"
        r"melden sie sich (?:\w+ )?(?:jederzeit|gern)|melde dich (?:\w+ )?(?:jederzeit|gern)|(?:ich )?hoffe,? (?:das|dies|ich)|(?:fragen|hilfe) (?:haben|hast|brauchen|benötigen|brauchst)|zögern sie nicht|stehe (?:ich )?(?:\w+ ){0,3}zur verfügung|"
        r"(?:schönen|guten|angenehmen|erfolgreichen) (?:tag|abend|aufenthalt|flug)|gute (?:reise|fahrt|besserung)|schöne(?:s|n)? (?:reise|wochenende)|viel (?:spaß|erfolg|vergnügen))\b",
        "es": r"\b(?:algo más|alguna otra (?:cosa|duda|consulta|pregunta)|otra cosa|(?:más|otras?|alguna|cualquier) (?:\w+ )?(?:preguntas?|dudas?|consultas?|ayuda)|(?:en qué|cómo) (?:más |otra cosa )?(?:puedo|podría|podemos) (?:ayudar|servir|asistir)\w*|"
        r"no dudes? en|no dude en|quedo (?:a (?!la espera de)|atent)|estoy (?:aquí )?(?:para ayudar|a (?:su|tu) (?:disposición|servicio))|espero que (?:esto|le|te|tenga)|que teng[aá]s? (?:un )?(?:buen|lindo|excelente)|buen (?:viaje|día|provecho)|"
        r"que (?:lo )?disfrut\w+|feliz (?:viaje|día)|necesit\w+ (?:más )?ayuda (?:con|en) algo|puedo ayudar(?:le|te|lo|la)? (?:con|en) (?:algo|alguna))\b|¡?disfrut[ea]\b",
        "fr": r"\b(?:autre chose|d['’]autres questions|n['’]hésitez pas|bonne journée)\b",
        "pt": r"\b(?:mais alguma coisa|algo mais|outra coisa|tenha um bom)\b",
        "it": r"\baltro(?=\?)|\b(?:altre domande|buona giornata)\b",
        "nl": r"\b(?:nog iets|andere vragen|fijne dag)\b",
        "ko": r"다른 ?(?:걸|것을|거|일을|도움)[^.!?]{0,6}(?:도와|필요)|(?:더|또|다른|추가로|추가|이 ?외에|그 ?외에?|그 ?밖에?) ?(?:필요|궁금|도와|도움|문의|질문|알고 ?싶|원하시는|요청|도와드릴|찾으시는|확인하고)|궁금(?:하신|한) ?(?:점|것|게|사항|내용|부분)|문의(?:하실)? ?(?:사항|점)이? ?(?:있|생기)|언제든(?:지|가)?|"
        r"무엇을 도와|뭘 도와|무엇이든|어떻게 도와|도움이 ?(?:되|됐|되었)|좋은 (?:하루|시간|여행)|즐거운 (?:하루|시간|여행|관람|식사)|편안한|맛있게 ?드세요|도움이 ?(?:더 ?)?필요하시|이용해 ?주셔서|안녕히",
        "ja": r"(?:他|ほか|その他|それ以外|さらに|また)(?:に|にも|で|は)?(?:何か|なにか|ご|お手伝い|気になる|お困り|知りたい|必要)|何かご不明|ご不明(?:な)?点|ご質問(?:が|等|など)|お気軽に|いつでも|ご遠慮なく|何か(?:お手伝い|お困り)|お役に立て(?:れば|たら|まし)|"
        r"(?:何を|どのような(?:こと|ご用件)?を?|どう)(?:お手伝い|お力)|よい一日|良い一日|素敵な|お楽しみ(?:ください|くださ)|お気をつけて|ご利用(?:いただき)?ありがとう",
        "zh": r"还有(?:什么|其他)|其他(?:问题|需要|可以)|祝您|有什么可以帮",
    },
    # Nothing is said by these; a clause of nothing else is no answer.
    "filler": {
        "en": r"\b(?:i['’]?m (?:really |very |so )?sorry(?: (?:for|about) (?:the|any|this|that)? ?(?:inconvenience|confusion|trouble|delay|misunderstanding)[\w ]{0,20}| to hear that)?|i (?:sincerely |do )?apologi[sz]e(?: (?:for|about) (?:the|any|this|that)? ?(?:inconvenience|confusion|trouble|delay|misunderstanding)[\w ]{0,20})?|"
        r"(?:my )?apologies(?: (?:for|about) (?:the|any|this|that)? ?\w+)?|sorry(?: about that)?|sure(?: thing)?|of course|certainly|absolutely|okay|ok|great(?: choice)?|got it|understood|no (?:problem|rush|worries|hurry)|hello(?: there)?|hi(?: there)?|hey|good (?:morning|afternoon|evening)|unfortunately|"
        r"thank(?:s| you)(?: (?:so|very) much)?(?: for [\w' ]{0,50})?|i(?:['’]d| would) be (?:happy|glad|delighted) to (?:help|assist)(?: you)?(?: with (?:that|this|your [\w ]{0,30}))?|(?:happy|glad) to help(?: with that)?|i (?:can|will|could) (?:certainly |definitely |gladly )?(?:help|assist)(?: you)?(?: with (?:that|this))?|"
        r"i (?:understand|see)(?: (?:that|your|how)[^,.!?]{0,60})?|that sounds? (?:like )?(?:a )?(?:great|good|lovely|wonderful|fun)[\w ]{0,20}|to (?:help|assist|serve) you (?:better|further)|please note|just to (?:confirm|clarify)|"
        r"let['’]s get (?:that|this) [\w ]{0,20}|dear (?:customer|user)|i['’]m glad (?:i|we|that|to|it)[^.!?]{0,80}|looking forward to[^.!?]{0,40}|i (?:can|will|could) (?:certainly |definitely |gladly )?(?:help|assist)(?: you)? with[^.!?,]{0,40}(?=[.!,]\s*$)|and|but|so|well|please)\b",
        "de": r"\b(?:(?:es )?tut mir (?:sehr |wirklich |aufrichtig )?leid|es tut uns (?:sehr )?leid|entschuldig(?:ung|en sie)(?: bitte)?(?: die unannehmlichkeiten)?|ich entschuldige mich[^,.!?]{0,40}|ich bitte (?:vielmals )?um (?:verständnis|entschuldigung|verzeihung)[^,.!?]{0,40}|"
        r"bitte (?:entschuldigen|verzeihen) sie[^,.!?]{0,40}|leider|gern[e]?(?: doch)?|natürlich|selbstverständlich|sicher|klar|okay|alles klar|verstanden|kein problem|hallo|guten (?:tag|morgen|abend)|(?:vielen |herzlichen )?dank(?: für [\w ]{0,50})?|danke(?: für [\w ]{0,50})?|sehr gern[e]?|"
        r"das (?:mache|kann|erledige|übernehme) ich (?:sehr |doch )?(?:gern[e]?|sofort|für sie)(?: \w+){0,3}|ich (?:helfe|kann) (?:ihnen|dir) (?:dabei |da )?(?:gern[e]?|natürlich)?(?: \w+)? ?(?:helfen|weiter|dabei|weiterhelfen)?|dabei (?:helfe|kann|unterstütze) ich (?:ihnen |dir )?(?:gern[e]?)?(?: helfen)?|"
        r"ich verstehe(?:,? (?:dass|ihre|deine|den)[^,.!?]{0,60})?|das klingt (?:\w+ ){0,3}(?:gut|toll|schön)|schön|super|prima|und|aber|bitte|liebe[r]? \w+|sehr geehrte[r]? [\w ]{0,30})\b",
        "es": r"\b(?:lo siento(?: mucho| muchísimo)?|lo lamento(?: mucho)?|(?:le |te )?pido disculpas?[^,.!?]{0,50}|(?:mis )?disculpas?[^,.!?]{0,50}|disculp[ea](?: las molestias)?|perd[oó]n[ea]?(?: por [\w ]{0,30})?|lamentablemente|desafortunadamente|por desgracia|claro(?: que sí)?|por supuesto|con (?:mucho )?gusto|"
        r"desde luego|de acuerdo|entendido|perfecto|vale|sin problema|hola|buenos días|buenas (?:tardes|noches)|(?:muchas )?gracias(?: por [\w ]{0,50})?|encantad[oa](?: de ayudar\w*)?|"
        r"(?:le |te )?(?:puedo ayudar|ayudo|ayudaré)(?:le|te|lo)?(?: con (?:eso|esto|ello|gusto))?|dale|bueno|entiendo(?: (?:que|su|tu)[^,.!?]{0,60})?|comprendo(?: (?:que|su|tu)[^,.!?]{0,60})?|siento (?:las|los|el|la) [\w ]{0,30}|y|pero|genial|estimad[oa] [\w ]{0,30})\b",
        "ko": r"죄송(?:합니다|해요|하지만|하게도|스럽지만)(?:만)?|유감(?:입니다|이지만|스럽게도)|안타깝(?:지만|게도|네요|습니다)|아쉽(?:지만|게도)|불편(?:을|함을)? ?(?:드려|끼쳐|겪으셨)[^.,!?]{0,20}|(?:양해|이해|협조)(?:를|해)? ?(?:부탁|바랍|주시)[^.!?]{0,12}|네(?=[,.!? ]|$)|예(?=[,.!? ]|$)|물론(?:입니다|이죠|이에요)?|"
        r"그럼요|알겠습니다|알겠어요|좋(?:습니다|아요)|안녕하세요|안녕하십니까|고객님|감사합니다|문의(?:해)? ?주셔서|문의 ?감사|기꺼이|(?:제가 ?)?(?:바로 |기꺼이 |도움을 )?도와 ?드(?:리겠습니다|릴게요|릴 수 있(?:습니다|어요))|이해합니다|확인했습니다(?=[.!]?$)",
        "ja": r"(?:大変|誠に|まことに)?(?:申し訳(?:ございません|ありません|ない(?:の|ん)?です)|恐れ入ります|恐縮です|すみません|失礼(?:いたし|し)ます|残念)(?:が|ながら|でした)?|ご不便をおかけ[^。]{0,20}|ご迷惑をおかけ[^。]{0,20}|はい|かしこまりました|承知(?:いた)?しました|承りました(?=$)|了解(?:しました|です)|もちろん(?:です)?|"
        r"こんにちは|お問い合わせ(?:いただき)?(?:、)?(?:誠に)?ありがとうございます|ありがとうございます|(?:喜んで)?お手伝い(?:いたします|します|できます)|お世話になっております|なるほど|お待たせ(?:いた)?しました|ご理解[^。]{0,20}",
        "zh": r"(?:非常|很)?抱歉|对不起|好的|当然|您好|谢谢",
    },
    # A word of thanks or good-bye is the whole of an answer to one.
    "thanks": {
        "en": r"\b(?:you['’]re (?:very |most )?welcome|my pleasure|no worries|good ?bye|bye|take care|safe travels|any ?time|have a (?:great|nice|good|wonderful|lovely))\b",
        "de": r"\b(?:gern geschehen|bitte (?:sehr|schön)|keine ursache|auf wiedersehen|tschüss|nichts zu danken|(?:schönen|guten) (?:tag|abend)|sehr gern)\b",
        "es": r"\b(?:de nada|no hay de qué|a usted|un placer|con gusto|adiós|hasta luego|que teng[aá]s? (?:un )?(?:buen|lindo|excelente))\b",
        "ko": r"천만에요|별말씀|좋은 하루|안녕히|도움이 ?되(?:어|셨)",
        "ja": r"どういたしまして|よい一日|良い一日|またのご利用|失礼いたします",
        "zh": r"不客气|再见",
    },
    # Done, in one word: a reply of hardly more than that is in no language that small words give away.
    "done": {
        "en": r"\b(?:done|added|saved|noted|booked|cancelled|canceled|sent|updated|removed|deleted|scheduled|set|moved|sorted)\b",
        "de": r"\b(?:erledigt|fertig|gebucht|gespeichert|storniert|gesendet|verschickt|gelöscht|notiert|geändert|eingetragen)\b",
        "es": r"\b(?:listo|hecho|guardad[oa]|cancelad[oa]|enviad[oa]|reservad[oa]|añadid[oa]|eliminad[oa]|anotad[oa]|actualizad[oa])\b",
    },
    "promise": {
        "en": r"\b(?:let me (?!know)(?:\w+)|one moment|just a (?:moment|second|sec|minute)|hold on|bear with me|i(?:['’]ll| will| am going to|['’]m going to) (?:now |just |quickly )?(?:check|look|search|find|get|fetch|see|pull|do|start|take a look|go)|please wait|checking|searching|looking)\b",
        "de": r"\b(?:(?:einen|ein(?:en)?) (?:kleinen )?(?:moment|augenblick)|moment bitte|ich (?:werde|schaue|prüfe|suche|sehe|überprüfe|schau|kümmere)(?: \w+){0,4})\b",
        "es": r"\b(?:un momento|un segundo|d[eé]j[ae]me|perm[ií]t[ae]me|voy a (?:buscar|comprobar|consultar|revisar|verificar|mirar)|estoy (?:buscando|comprobando|revisando|consultando))\b",
        "ko": r"잠시만|잠깐만|기다려 ?주|(?:확인|조회|검색|처리|진행|찾아)(?:해)? ?(?:보겠습니다|드리겠습니다|볼게요|드릴게요|하겠습니다|할게요)",
        "ja": r"少々お待ち|お待ちください|(?:確認|検索|お調べ|調べ|手配)(?:いた)?し(?:て(?:みます|まいります|きます)|ます)",
        "zh": r"请稍|我(?:来|会|将)|正在",
    },
    # What is wanted of the user: an imperative, a question or a statement of need.
    "need": {
        "en": rf"\b(?:please|kindly|just) (?:also )?{_GIVE_EN}\b|\b(?:could|can|would|will|might) you (?:please |kindly |also |first |then |perhaps )*(?:be able to )?{_GIVE_EN}\b|"
        rf"\b(?:i|we)(?:['’]ll| will| would|['’]d| do)? (?:just |first |also |still |only )?(?:need|require) (?:to know|to confirm|to clarify|you to|your|the|some|a few|a bit|more|one more|additional|further|an?|it|that|this|both|at least|information|details)\b|"
        rf"\b(?:may|could|can|might) (?:i|we) (?:please |also )?(?:have|get|ask (?:for|you)|know)\b|\b(?:let (?:me|us) know|tell (?:me|us)|give (?:me|us)|send (?:me|us)|share) (?:just )?(?:{_WHAT_EN}|more about|a bit more)\b|"
        r"\b(?:i['’]m|i am|we['’]re|it['’]s|is|are) missing\b|\b(?:do you (?:mean|have (?:a|an|any|the|your) [\w ]{0,40}(?:in mind|preference|number|id)|know (?:the|your|which))|did you mean|you (?:didn['’]t|did not|haven['’]t) (?:mention|specif|provid|say|tell|includ|state)\w*)|"
        r"\bif you (?:can|could|would|will|have|know|remember)[^.!?]{0,40}\b(?:provide|share|tell|give|send|it)\b|\bonce (?:you|i) (?:provide|confirm|have|know|share|give|send)\b|\b(?:i(?:['’]d| would) (?:like|want) to know|i(?:['’]m| am) not sure (?:which|what|who|whether)|which (?:one )?(?:do|did|would|should) you)\b",
        "de": r"\bbitte (?:\w+ ){0,2}?(?:nennen|teilen|geben|schicken|senden|bestätigen|sagen|beschreiben|wählen|präzisieren|ergänzen|konkretisieren|schreiben|verraten|übermitteln|nenn|teil|gib|schick|sag|bestätige|beschreib|wähl|schreib|ergänze|spezifizieren)\b(?: (?:sie|mir|uns|du))|"
        r"\b(?:nennen|sagen|schicken|senden|verraten|beschreiben|bestätigen|schreiben|geben) sie (?:mir|uns|bitte|noch|einfach|kurz|doch)\b|\bteilen sie (?:mir|uns)\b|\b(?:nenn|sag|schick|gib|verrat|schreib)e? (?:mir|uns)\b|\bteil(?:e)? (?:mir|uns)\b|"
        r"\b(?:könnten|können|würden|kannst|könntest|würdest|magst|möchten|mögen) (?:sie|du)(?:[^.!?]{0,80}?)\b(?:nennen|mitteilen|angeben|sagen|bestätigen|geben|schicken|senden|verraten|präzisieren|konkretisieren|beschreiben|durchgeben|eingrenzen|spezifizieren|ergänzen|übermitteln|hochladen|zukommen lassen|schildern|genauer)\b|"
        r"\b(?:ich|wir) (?:\w+ ){0,2}?(?:benötige|brauche|bräuchte|benötigen|brauchen|bräuchten)\b|\b(?:benötige|brauche|bräuchte|benötigen|brauchen) (?:ich|wir)\b|\b(?:mir|uns|dazu|dafür|hier|noch) (?:\w+ ){0,2}?(?:fehlt|fehlen)\b|\b(?:fehlt|fehlen) (?:mir|uns|noch|nur|jetzt|dazu|dafür|allerdings|leider)\b|"
        r"\b(?:lassen sie (?:mich|uns)|lass (?:mich|uns)) (?:bitte )?wissen,? (?:welche|wann|wie|wo|wohin|ob|für|um|an|was)|\b(?:muss|müsste|müssen|müssten|möchte|würde) (?:ich|wir)\b[^.!?;]{0,40}\b(?:wissen|erfahren)\b|\bich (?:muss|müsste)\b[^.!?;]{0,40}\bwissen\b|\b(?:müssten|müssen|müsstest|musst) (?:sie|du) (?:mir|uns)\b|\b(?:laden|fügen|tragen|reichen|tippen) sie\b[^.!?]{0,80}\b(?:hoch|ein|nach|bei)\b|\b(?:nicht|un) ?(?:ganz )?klar\b|\bunklar\b|\b(?:sobald|wenn) ich\b[^.!?]{1,60}\b(?:weiß|habe|kenne|hab)\b|\b(?:sobald|wenn|bis) (?:du|sie)\b[^.!?]{1,60}\b(?:sagst|sagen|nennst|nennen|schickst|schicken|bestätigst|bestätigen|entscheidest|entscheiden|wählst|wählen)\b|\b(?:meinen sie|meinst du)\b|\b(?:wird|werden) (?:noch |zunächst )?[^.!?]{0,40}\bbenötigt\b|\b(?:wenn|sobald) (?:sie|du) (?:mir|uns)\b[^.!?]{1,90},|\bdarf ich (?:\w+ ){0,3}(?:fragen|wissen|erfahren)|\bbestätigen sie\b",
        "es": r"\b(?:podr[ií]as?|puedes?|podrían|me puedes?|me podr[ií]as?|le importaría|te importaría|sería (?:usted )?tan amable|serías tan amable|quisiera|querr[ií]as?)(?: \w+){0,3}? (?:de )?(?:indicar|decir|proporcionar|facilitar|confirmar|especificar|dar|compartir|enviar|aclarar|precisar|detallar|pasar|mandar|contar|describir|concretar|señalar|adjuntar|escribir|saber)(?:me|nos|lo|la|melo|mela)?\b|"
        r"\b(?:indíque|indíca|díga|dí|dí|di|facilíte|facilíta|proporcióne|proporcióna|confírme|confírma|envíe|envía|cuénte|cuénta|acláre|aclára|páse|pása|comparta|compárta|compárte|dé|da|escríba|escríbe|especifíque|especifíca|precíse|détal|mánda|mánde)(?:me|nos|melo)\b|"
        r"(?<!se )(?<!me )(?<!nos )\b(?:indique|indica|especifique|especifica|confirme|confirma|proporcione|proporciona|facilite|facilita|comparta|comparte|aclare|elija|elige|seleccione|selecciona|precise|detalle)(?:,)? (?:por favor|el|la|los|las|su|tu|qué|cuál|cuáles|si|un|una|cuándo|dónde|para)\b|"
        r"(?<!no )(?<!no me )(?<!no hace )\b(?:necesito|necesitaría|necesitamos|requiero|me hace falta|me hacen falta|me falta|me faltan|nos falta|falta|faltan|haría falta|haría falta) (?:saber|que|su|tu|el|la|los|las|un|una|unos|más|conocer|algun\w+|otro|confirmar|por|saber|solo|también|primero|además|dos|tres)\b|\bsi (?:me|nos) (?:da|das|indica|indicas|facilita|facilitas|dice|dices|proporciona|proporcionas|envía|envías|confirma|confirmas|pasa|pasas)\b|\b(?:tendría|tengo|tendríamos|necesitaría|hay) que (?:saber|conocer|confirmar)\b|\bno (?:me |nos )?(?:queda|está|tengo) claro|\busted dirá\b|\b(?:solo|sólo) (?:queda|falta)n?\b|\bme faltarían? (?:saber|su|tu|el|la)\b|\ba la espera de (?:que|su|tu)\b|\bhasta (?:que (?:me|nos)|tener su|recibir su)\b|\ben cuanto (?:me|nos|sepa|tenga|usted|tú)\b|\b(?:dec[ií]|cont[aá]|pas[aá]|mand[aá]|avis[aá]|confirm[aá]|indic[aá]|envi[aá]|escrib[ií]|mostr[aá])(?:me|nos)(?:lo|la|los|las)?\b|\b(?:se refiere|te refieres)\b|\bdígame|\bdime\b|\bindíqueme|\bme (?:lo |la |los |las )?(?:confirma|indica|dice|dices|facilita|confirmas|indicas|facilitas|pasas|da|das)\b",
        "ko": r"(?:알려|말씀해|말해|입력해|보내|제공해|선택해|골라|적어|지정해|공유해|가르쳐|전달해|남겨|기재해|첨부해|붙여 ?넣어|복사해|올려|써|설명해|답해|답변해|회신해|정해|확인해|업로드해|제시해|명시해|구체적으로) ?(?:주세요|주시겠|주실 ?수|주실래|주시면|주십시오|주셔야|줄래|줘|주실까|주면|주라|주는 ?대로|주시는 ?대로|주시기|주시길|주셨으면|달라)|(?:알려|말씀|보내|입력|선택|확인|제공|지정)(?:해)? ?부탁|(?<!양해)(?<!양해 )(?<!이해)(?<!이해 )(?<!를 )(?<!협조 )(?<!참고 )부탁(?:드립니다|드려요)(?=[.!]?$)|"
        r"(?:필요합니다|필요해요|필요한데요?|필요하며|필요하니|필요해서|있어야 ?(?:합니다|해요|하는데)|알아야|여쭤|여쭙|여쭈|빠져 ?있|빠졌|누락|명확하지 ?않|불분명|확인이 ?필요)|[가-힣] ?주셔야|모르겠(?:네|어|습|는)|(?:어느|어떤|무슨|몇|언제|어디|누구|얼마)[^.!?]{0,30}(?:원하시|하시겠|계신|찾으시|말씀하시|희망하시|선호하시|의미하시|하실|드릴까|할까|인지|이신|인가요|예정|가시|출발하|도착하|좋으)",
        "ja": r"(?:教えて|お知らせ|ご提示|ご連絡|お聞かせ|お伝え|ご入力|入力して|ご指定|指定して|ご記入|お選び|選んで|ご提供|ご指示|ご教示|ご教授|おっしゃって|送って|お送り|共有して|ご共有|お申し付け|ご返信|ご回答|お示し|ご明示|記載して|ご確認のうえ|明確にして)(?:いただき|頂き)?(?:ください|下さい|いただけ|頂け|くださ|願え|願い|もらえ|いただく|いただき|頂き|お願い|お願い|たい|く必要|ほしい|欲しい|いただければ|ますか|ませんか|でき)|"
        r"(?:が|は|も|を)必要(?:です|が|と(?:なり|して)|になり)|(?:伺って|お伺い|うかが|伺え|伺い)|(?<!よろし)(?:いただければ|いただけましたら|いただけますと|頂ければ|もらえれば|もらえると|もらえたら|くれれば|くれたら)|ご都合[^。]{0,12}(?:いかが|よろしい|いい)|(?:貼り付けて|入れて|書いて|お書き|添付して|ご添付)(?:ください|下さい|いただ)|(?:が|は)(?:不明|不足|はっきり|まだ(?:分か|わか)|わから|分から|足り|抜けて)|お聞きし|確認させて|どちら(?:の|を|に|が|で|まで)|(?:いつ|どこ|何時|何名|何人|何泊|何曜|何月|何日|どの|どなた|いくつ|何個|何を)[^。！？]{0,30}(?:でしょうか|ですか|ますか|ご希望|よろしい)|お願い(?:できます|いただけます)(?:でしょう)?か|(?<!よろしく)(?<!宜しく)(?<!理解のほど)(?<!理解を)(?<!了承のほど)(?<!了承を)(?<!協力を)(?<!容赦)(?<!自身で)を?お願い(?:いた|致)?します",
    },
    # The speaker is the one who wants to be told.
    "to_me": {
        "en": r"\b(?:me|us|i|we)\b",
        "de": r"\b(?:mir|uns|mich|ich|wir)\b",
        "es": r"\b(?:me|nos|necesito|necesitamos|dígame|dime)\b|\b\w+[aeé](?:me|nos)(?:lo|la|los|las)?\b|\b\w+[aei]r(?:me|nos)(?:lo|la)?\b",
        "ko": r"알려|말씀|말해|가르쳐|여쭤|보내|공유|남겨",
        "ja": r"教え|お知らせ|お聞かせ|お伝え|伺|送って|お送り|ご連絡|お願い",
    },
    # The user is asked to do something, whatever it is.
    "polite_request": {
        "en": r"\b(?:could|can|would|will) you (?!like|prefer|rather|be interested|want|mind if)(?:please |kindly )?\w+|\bwould you mind\b",
        "de": r"\b(?:könnten|können|würden|könntest|kannst|würdest) (?:sie|du)\b",
        "es": r"\b(?:podrías?|puede|puedes|podrían|pueden|le importa|le importaría|te importa)(?: usted)? (?:\w+ )?(?:a |por favor,? )?\w+[aeií]r(?:me|nos|lo|la|le|se|melo|mela)?\b",
        "ko": r"주시겠|주실 ?수|주실래|주실까|주시면 ?(?:될|되)",
        "ja": r"(?:いただけ|頂け|もらえ|くださ|下さ)(?:ます|ません|ない)|いただいて(?:も)?(?:よろしい|いい)",
    },
    "confirm": {
        "en": r"\b(?:reply|answer|respond)(?: with)? \W*(?:yes|ok|confirm|\u25a1)|\b(?:type|say|write) \W*(?:yes|ok|confirm)\b|\bplease confirm\b|\bconfirm (?:if|whether|that you)\b",
        "de": r"\bantworten sie (?:bitte )?(?:mit )?\W*(?:ja|ok|\u25a1)|\b(?:schreiben|tippen) sie (?:bitte )?\W*(?:ja|ok)\b|\bbitte bestätig\w*|\bbestätigen sie\b(?! mit)|\bbestätige (?:mir|bitte|kurz)",
        "es": r"\b(?:respond|contest)[ae] (?:con )?\W*(?:sí|ok|no\b|\u25a1)|\b(?:escrib|dig)[ae] \W*(?:sí|ok)\b|\bpor favor,? confirm\w*|\bconfirme (?:si|que|por favor)|\bconfírme\w*|\bconfírma(?:me|lo)",
        "ko": r"(?:네|예)(?:라고)? ?(?:답|입력|회신|말씀)|\u25a1이?라고 ?(?:답|회신|말씀)|확인해 ?주시면[^.!?]{0,14}(?:진행|처리|변경|취소|예약)",
        "ja": r"はいと(?:入力|送信)|(?:はい|\u25a1)と(?:返信|ご返信|お答え)|(?:ご確認|ご承認|ご了承)(?:いただけ(?:れば|まし)|のうえ|の上)",
    },
    # Asks for leave to go on, or whether what was understood is right: without an answer nothing happens.
    "permission": {
        "en": r"\b(?:(?:shall|should|may|can) i (?:now )?(?:proceed|go ahead|continue)|(?:would|do) you (?:still )?(?:like|want|wish)(?: me)? to (?:proceed|go ahead|continue|confirm)|(?:is|are|was) (?:that|this|it|these|everything|the above|all of this|those)(?: \w+){0,3} (?:correct|right|okay|ok|accurate|fine)|do you (?:confirm|agree|consent)|are you sure|(?:yes|y) ?(?:/|or) ?(?:no|n)\b|correct\?|right\?|ok(?:ay)? to (?:proceed|continue)|please confirm)",
        "de": r"\b(?:soll(?:en)? (?:ich|wir) (?:\w+ ){0,6}?(?:fortfahren|wirklich|so (?:durchführen|buchen|machen)|trotzdem)|(?:möchten|wollen) sie (?:\w+ ){0,6}?(?:fortfahren|wirklich)|(?:möchtest|willst) du (?:\w+ ){0,6}?(?:fortfahren|wirklich)|(?:ist|stimmt|passt|sind) (?:das|dies|die|diese|alles)(?: \w+){0,3} (?:so|richtig|korrekt|in ordnung|recht)|stimmt das|passt das|sind sie (?:\w+ )?(?:einverstanden|sicher)|bist du (?:\w+ )?(?:einverstanden|sicher)|einverstanden\?|richtig\?|korrekt\?|bestätigen sie|ja ?(?:/|oder) ?nein)",
        "es": r"\b(?:procedo|continúo|prosigo|es correct[oa]|es as[ií]|está (?:de acuerdo|segur[oa]|bien)|estás (?:de acuerdo|segur[oa])|(?:desea|quiere|deseas|quieres|le gustaría|te gustaría) (?:que )?(?:proced\w+|continu\w+|confirm\w+|segu\w+|sig\w+)|confirma(?:s|n)?(?: que)?\b|lo confirmo|correcto\?|s[ií] ?(?:/|o) ?no\b|puedo proceder|de verdad)",
        "ko": r"진행(?:해도|할까요|해 ?드릴까요|하시겠|하면 ?될까|해도 ?될까)|계속 ?(?:할까요|진행|하시겠)|맞(?:으신가요|으실까요|습니까|나요|을까요|으세요|으십니까|는지)|맞는지|괜찮(?:으신가요|으실까요|을까요|으시겠|으세요|나요|습니까)|될까요|동의하시|정말|확실하|(?:하시는|하려는|이신|인|신) ?(?:것이|게|거) ?맞",
        "ja": r"(?:よろしい|宜しい|いい|大丈夫|間違いない|お間違いない|相違ない|正しい|合って)(?:い)?(?:でしょうか|ですか|ますか|ません(?:か|でしょうか))|(?:間違い|相違)(?:は)?(?:ございません|ありません|ない)(?:でしょう|です)?か|進めて|続行(?:し|いた)|本当に",
    },
    # More is offered: one of these after an answer is courtesy, alone it waits for the user's word.
    "offer": {
        "en": r"\b(?:would you (?:like|prefer|rather|be interested)|(?:shall|should|may|can|could) i\b|do you (?:want|need|wish)(?: me| help| any help)?|want me to|(?:if|in case) you(?:['’]d| would)? (?:like|want|prefer|wish|need)|i(?:['’]d| would)? (?:can|could|be happy to|be glad to) (?:also |instead |certainly )?\w+|interested in|how (?:does|do) (?:that|this|these|those) sound|what do you think|need (?:any )?help|how about|what about)\b",
        "de": r"\b(?:soll(?:en)? (?:ich|wir)|(?:möchten|wollen|wünschen|brauchen|benötigen|hätten) sie|(?:möchtest|willst|brauchst|hättest) du|wenn (?:sie|du) (?:möchten|wollen|wünschen|möchtest|willst|magst|mögen)|falls (?:sie|du)|auf wunsch|ich (?:kann|könnte) (?:ihnen|dir) (?:\w+ ){0,6}(?:anbieten|vorschlagen)|kann ich (?:ihnen|dir)|darf ich|wäre (?:das|dies)|klingt das|was halten sie|was hältst du|wie wäre|interesse)\b",
        "es": r"\b(?:(?:quiere|quieres|desea|deseas|le gustaría|te gustaría|prefiere|prefieres|necesita|necesitas|le interesa|te interesa|le apetece|te apetece|le parece|te parece|querría|querrías)\b|si (?:lo )?(?:desea|deseas|quiere|quieres|prefiere|prefieres|gusta|necesita|necesitas|le|te)|puedo (?:ofrecer|ayudar|sugerir|proponer|enviar|buscar|mostrar|recomendar|hacer)\w*|qué (?:le|te) parece|l[oe] (?:reservo|envío|mando|busco|paso|añado)|te (?:reservo|envío|mando|busco|paso|añado))",
        "ko": r"(?:드릴까요|할까요|볼까요|해드려요|원하시(?:나요|면|는지|십니까|는가요|세요)|원하세요|필요하신가요|필요하세요|필요하시(?:면|나요)|하시겠(?:어요|습니까)|보시겠|드리길|관심 ?있|어떠세요|어떠신가요|어떨까요|희망하시(?:면|나요)|괜찮으시(?:면|다면)|하고 ?싶으(?:시|신)|받으시겠|싶으시(?:면|다면|나요))",
        "ja": r"(?:ましょうか|(?:ご希望|必要|ご入用|ご興味)(?:が|は|で|に|の)?(?:なり|し|ござい|あり)?(?:ます|です|でしょう)?(?:か|場合|なら|でしたら)|ご希望(?:でしたら|の場合|があれば|であれば)|よろしければ|もしよければ|必要(?:で(?:あれば|したら)|なら|に応じて)|いかがですか|いかがでしょうか|なさいますか|されますか|(?:たい|欲しい|ほしい)(?:です|でしょう)か)",
    },
    # The agent itself is not able, not allowed or not made for it.
    "cannot": {
        "en": r"\b(?:i|we)(?: am|['’]m| are|['’]re)? (?:\w+ly |still |just |also |simply |afraid i |afraid we |sorry,? (?:but )?i )*(?:can(?:no|['’]?)t|can not|couldn['’]t|could not|won['’]t|will not|not able to|unable to|not (?:\w+ly )?(?:allowed|permitted|authori[sz]ed|capable|equipped|designed|in a position|programmed|set up|supposed|going)|prohibited|lack|must decline|have to decline|need to decline|decline|refuse)\b(?! (?:find|see|locate|any|find any|wait)\b)|"
        r"\bunable to (?!find|locate)\w+|\b(?:i|we) (?:currently |also |still |just |simply |really |unfortunately )*(?:do(?:n['’]t| not)|have no|has no) (?:currently |yet |actually |directly )*(?:have|possess|got)? ?(?:\w+ ){0,5}?(?:access|ability|abilities|capabilit\w+|functionalit\w+|functions?|permissions?|authori[tst]\w*|means|tools?|real[- ]time|information|data|features?|rights|knowledge|way)\b|"
        r"\b(?:i|we) (?:currently )?(?:do(?:n['’]t| not)) (?:\w+ly )?(?:support|offer|handle|provide|do|perform|give|process|play|store|keep|track|deal)\b|\b(?:beyond|outside|out of|not (?:part|within)) (?:of )?(?:my|our|what i|the scope|scope|the range)\b|\b(?:not|isn['’]t|n['’]t) (?:something|anything|within|in) (?:\w+ )?(?:i|we|my|our)\b|"
        r"\b(?:i|we) (?:can )?only (?:help|assist|handle|answer|support|work|have access|provide|offer|able)\b|\b(?:i|we)(?:['’]m| am|['’]re| are) (?:only |just |limited to|designed to|restricted)|\bmy (?:capabilities|abilities|functions?|access|tools|purpose|knowledge) (?:\w+ )?(?:are|is|do|does|don['’]t) (?:\w+ )?(?:limited|restricted|not|to|allow|include)|"
        r"\b(?:none of|no) (?:my |the |of my )?(?:available )?(?:tools?|functions?) (?:\w+ ){0,3}(?:can|allow|available|for|that|support|me)|\bnot (?:able|allowed|permitted|authori[sz]ed) to\b|\bagainst (?:my|our) (?:policy|policies|guidelines|rules)|\b(?:i|we) (?:do not|don['’]t) (?!know|understand|see|have|find|think|need|want|mean|recommend|believe|require|get|mind|worry)\w+|\bi(?:['’]d| would) (?:rather|prefer) not\b|\bi prefer not\b|\bi['’]m afraid (?:i|we|that['’]?s? (?:is )?not)|\b(?:tools?|functions?) (?:i have|available|provided)[^.!?]{0,30}(?:do not|don['’]t|cannot|can['’]t|doesn['’]t)",
        "de": r"\b(?:kann|könnte|darf|konnte|werde|möchte|will) (?:ich|wir)\b[^.!?;]{0,140}?\b(?:nicht|kein(?:e|en|er|em|erlei)?|weder|nichts)\b|\b(?:ich|wir) (?:kann|können|könnte|könnten|darf|dürfen|werde|werden)\b(?: [^.!?;]{0,140}?)?\b(?:nicht|kein(?:e|en|er|em|erlei)?|weder|nichts)\b|\b(?:können|dürfen) wir\b[^.!?;]{0,140}?\b(?:nicht|kein(?:e|en|er|em)?|weder)\b|"
        r"\b(?:ich|wir) (?:\w+ )?(?:habe|haben|hab|besitze|verfüge|verfügen)\b(?: \w+){0,4}? (?:(?:nicht|keinen?|keinerlei|weder)\b[^.!?;]{0,50}?(?:zugriff|zugang|berechtigung|befugnis|möglichkeit|funktion|werkzeug|tools?|daten|informationen|einblick|einsicht|rechte|fähigkeit|echtzeit|kenntnis|recht))|\b(?:habe|haben|verfüge|besitze|verfügen) (?:ich|wir)\b[^.!?;]{0,60}?\b(?:nicht|kein(?:e|en|erlei)?)\b[^.!?;]{0,50}?(?:zugriff|zugang|berechtigung|befugnis|möglichkeit|funktion|werkzeug|tools?|daten|informationen|einblick|einsicht|rechte|fähigkeit)|"
        r"\b(?:(?:mir|uns) (?:\w+ ){0,3}?(?:fehlt|fehlen)|(?:fehlt|fehlen) (?:mir|uns))\b[^.!?;]{0,40}?(?:zugriff|zugang|berechtigung|befugnis|möglichkeit|funktion|werkzeug|tool|rechte|fähigkeit)|\bnicht (?:\w+ ){0,3}?(?:in der lage|imstande|befugt|berechtigt|dafür ausgelegt|dafür gemacht|autorisiert|ermächtigt|zuständig)|\b(?:ist|wäre|sind) (?:mir|uns)\b[^.!?;]{0,60}?\b(?:nicht (?:möglich|erlaubt|gestattet)|untersagt|unmöglich|verwehrt)|\bes (?:ist|steht) (?:mir|uns)\b[^.!?;]{0,40}nicht|"
        r"\baußerhalb (?:meine[rs]|unsere[rs]|des)\b|\bübersteigt\b|\b(?:gehört|fällt|liegt)\b[^.!?;]{0,40}?\bnicht (?:\w+ ){0,3}?(?:zu meine|in meine|zu unser|in unser|in meinem|zu den)|\b(?:ich|wir) (?:\w+ )?(?:bin|sind) (?:\w+ ){0,2}?(?:nur|ausschließlich|lediglich)\b|\b(?:ich|wir) (?:kann|können|helfe|beantworte|unterstütze)\b[^.!?;]{0,40}?\b(?:nur|ausschließlich|lediglich)\b|\bunterstütze (?:ich )?(?:\w+ ){0,4}nicht|\b(?:muss|müssen) (?:ich|wir)[^.!?;]{0,40}ablehnen|\b(?:ich|wir) (?:muss|müssen)[^.!?;]{0,40}ablehnen|\blehne ich\b|\bich (?:\w+ ){0,2}?(?:biete|führe|gebe|erteile|mache|bearbeite)\b[^.!?;]{0,60}?\b(?:keine?n?|nicht)\b|\b(?:biete|führe|gebe|erteile|mache|bearbeite|bieten|führen) (?:ich|wir)\b[^.!?;]{0,60}?\b(?:keine?n?|nicht)\b|\bbin ich nicht\b|\bich (?:also |selbst |aber |hingegen )?nicht[.!]?\s*$|\bich\b[^.!?;]{0,90}\bund (?:kann|darf)\b[^.!?;]{0,50}\bnicht\b|\bich (?:\w+ )?lieber (?:nicht|keine)|\bich (?!weiß|verstehe|sehe|finde|brauche|benötige|habe|hoffe|empfehle)\w+e (?:\w+ ){0,4}?(?:keine?n?|nicht)\b|\b(?!weiß|verstehe|sehe|finde|brauche|benötige|habe|hoffe|empfehle)\w+e ich (?:\w+ ){0,4}?(?:keine?n?|nicht)\b|\b(?:habe|hab) ich (?:leider )?keine?n?\b|\b(?:mir|uns) (?:\w+ ){0,3}?(?:keine?n?|nicht)\b(?! (?:ganz )?(?:klar|sicher))|\b(?:ich|wir)\b[^.!?;]{0,60}\bnur (?:für|zu|bei|in)\b|\b(?:von|durch) (?:mir|mich|uns)\b[^.!?;]{0,50}\b(?:keine?n?|nicht|weder)\b|\b(?:keine?n?|nicht|weder)\b[^.!?;]{0,30}\b(?:von|durch) (?:mir|mich|uns)\b|\bauch ich nicht\b|\bnicht ich\b|\bfür mich\b[^.!?;]{0,30}\b(?:nicht|keine?n?)\b|\b(?:mir|uns) (?:nicht |leider nicht )?(?:untersagt|verboten|nicht gestattet|nicht erlaubt|nicht möglich)",
        "es": r"\bno (?:\w+ ){0,2}?(?:voy a|vamos a|sabría|ofrezco|ofrecemos|genero|hago|hacemos|doy|damos|brindo|facilito|emito|comparto|ejecuto|cubro|haré|daré|compartiré|ayudaré|puedo|podemos|podré|podría|podemos|me es posible|nos es posible|me resulta posible|soy capaz|estoy (?:autorizad|capacitad|habilitad|en condiciones|en posición|diseñad|facultad|preparad|program)\w*|estamos (?:autorizad|en condiciones)\w*|me est[áa] permitid\w*|nos est[áa] permitid\w*|me permite|se me permite|tengo (?:\w+ ){0,3}?(?:acceso|permisos?|la capacidad|capacidad|la posibilidad|forma|manera|la función|herramientas?|ninguna herramienta|autorización|autoridad|la facultad|facultades|información|datos|los medios|la opción|modo)|"
        r"tenemos (?:acceso|permiso|forma)|dispongo|disponemos|cuento con|contamos con|poseo|ofrezco|proporciono|realizo|gestiono|proceso|manejo|logro|entra (?:dentro )?(?:en|de) mis|está (?:dentro de|entre|en) mis|est[áa] (?:en|a) mi\w*|figura entre mis|forma parte de mis|me corresponde)\b|\b(?:fuera|más allá) (?:de|del) (?:mis?|mi|nuestr\w+|lo que|alcance|ámbito)|\b(?:solo|sólo|únicamente) (?:puedo|podemos|estoy|trabajo|respondo|atiendo|gestiono|me encargo)|\b(?:trabajo|respondo|atiendo|hablo) (?:\w+ )?(?:solo|sólo|únicamente)|\b(?:carezco|me es imposible|me resulta imposible|nos es imposible|me temo que no|tengo que (?:rechazar|declinar)|debo (?:rechazar|declinar)|supera mis|excede mis|sobrepasa mis)\b|\byo (?:no|tampoco)\b|\bno\b[^.!?;,]{0,40}\byo\b|\bni debo\b|\bno est[áa] en mis? manos?\b|\bno hay (?:forma|manera|modo)\b|\bprefiero no\b|\bni (?:puedo|podemos|debo)\b|\bno (?:me|nos) (?:corresponde|compete)\b|\bmis (?:funciones|capacidades|permisos)[^.!?;]{0,30}\b(?:no|limit\w+|solo|únicamente)\b|\b(?:puedo|podemos) (?:ayudar|atender|responder)\w* (?:solo|sólo|únicamente)|\b(?:ninguna|ninguno) de (?:mis|las) (?:herramientas|funciones)",
        "ko": r"(?<!찾을 )(?<!하실 )(?<!으실 )(?<!가실 )(?<!받으실 )(?<!보실 )(?:드릴|제공할|제공해 ?드릴|처리할|도와드릴|도와 ?드릴|안내해 ?드릴|알려 ?드릴|답변드릴|답변할|접근할|조회할|확인할|실행할|수행할|변경할|취소할|예약할|조작할|제어할|진행할|재생할|전송할|보낼|볼|알|대신할|예측할|생성할|만들|공유할|드리긴|드리는 ?것은|해 ?줄|해줄|해드릴|결제할|주문할|송금할|이체할|수정할|삭제할|판단할|진단할|추천할|번역할|열람할|연결할|검색할|설정할) ?수(?:는|가|도)? ?(?:없|업)|"
        r"(?:제공|처리|안내|지원|답변|확인|수행|도움|조회|접근|진행|대응|변경|실행|예약|상담|도와드리|도와 ?드리|해드리|알려드리|드리)(?:해드리|드리|을|를|이|가|은|는|하|하는|도|하기(?:는|가)?|드리기(?:는|가)?|기(?:는|가)?| 것은| ?건)? ?(?:것은|건|데)? ?(?:좀 |조금 |다소 |매우 |현재 |지금은 )?(?:어렵|어려운|어려워|힘들|힘듭|불가|곤란)|"
        r"(?:지원|제공|취급|수행|처리|보유|실시|다루|생성|재생|실행|추천|공개|발급|운영|진행)(?:하지|하고 ?있지|해 ?드리지|하지는|지)(?:는|를)? ?(?:않|못)|(?:지원|제공)되지 ?않|(?:권한|기능|도구|접근 ?권|접근 ?권한|능력|정보|데이터|방법|수단|자격)(?:이|가|은|는|도)? ?(?:현재 |저에게 |제게 |따로 )?(?:없|제한|부족|주어지지|부여되|갖고 ?있지|가지고 ?있지|포함되)|도와 ?드리지 ?못|(?:제|저의) ?(?:권한|능력|기능|업무|역할|담당|범위)[^.!?]{0,12}(?:밖|벗어|아니|넘|초과|아닙)|"
        r"(?:제가|(?<![가-힣])제 |저는|저도|저에게|제게|저로서는)[^.!?]{0,40}(?:아닙니다|아니에요|없습니다|없어요|없네요|않습니다|않아요|못합니다|못해요)|저는[^.!?]{0,40}(?:만 ?(?:도와|가능|지원|처리|안내|답변|다룰|할)|못 ?(?:합|해|하))|(?:만|에 ?대해서만|관련해서만|에 ?한해) ?(?:도와 ?드|답변|안내|지원|처리)[^.!?]{0,10}(?:수 ?있|가능|하고)|(?:응할|따를|받아들일|들어드릴|수락할) ?수 ?없|거절|사양하|못 ?(?:해 ?드|도와|알려 ?드|보내 ?드|처리해)|(?:해|알려|보여|안내해|처리해|제공해|도와) ?드리지 ?(?:못|않)|드리지 ?못",
        "ja": r"(?:お答え|ご案内|ご提供|お手伝い|ご対応|対応|提供|回答|アクセス|実行|お受け|処理|確認|操作|予約|お調べ|取得|参照|閲覧|お伝え|お教え|ご紹介|送信|変更|キャンセル|お応え|お引き受け|サポート|承る(?:こと)?|承|ご用意|再生|診断|判断|予測|保証|代行|手配|ご支援|検索|お見せ|照会|設定|ご回答|ご協力|削除|公開|開示|共有|生成|作成|お役に立|予想)(?:する)?(?:こと|の)?(?:は|が|も|を)?(?:いた)?(?:しかね|でき(?:ません|ない|かね)|できる(?:機能|権限|ツール|手段)(?:が|は)|することができ(?:ません|ない)|ておりません|ていません|していません|しておりません|いたしておりません|て(?:い)?ません|して(?:い)?ない|られません|られない|不可)|"
        r"(?:いたし|致し|し|でき|お答えし|ご案内し|わかり|分かり|応じ|お受けし|承り|対応し|お手伝いし)かね(?:ます|て)|かねます|(?:こと|の)(?:は|が|も)(?:いた)?(?:でき(?:ません|ない|かね)|かない|叶いません|許可されて|認められて|難し)|(?:権限|機能|手段|アクセス権|能力|ツール|情報|データ|術)(?:を|が|は|も)?(?:ございません|ありません|ない|持って(?:い|お)|持ち合わせ|有して|備わって|備えて|与えられて|含まれて(?:い|お)|搭載)|(?:範囲|対象|領域|権限|管轄|担当|専門|業務)(?:外|を超え|では(?:ございません|ありません|ない))|"
        r"(?:のみ|(?<!いた)だけ|に限(?:り|られ)|に関する(?:こと|ご質問|お問い合わせ)のみ)[^。]{0,16}(?:対応|お手伝い|お答え|ご案内|承|サポート|可能|です)|(?:ご容赦|控え(?:させて|てい|てお))|わけには(?:いき|まいり)ません|(?:対応|ご提供|提供|ご案内|お答え|お手伝い|ご紹介|お伝え)(?:する(?:の|こと)は|は|が)?(?:難しい|困難|不可能|(?:私|当方)(?:の|が|は)[^。]{0,24}(?:ません|ない)|(?:お手伝い|対応|回答|お答え|提供|公開|開示|ご案内)(?:は)?(?:いた)?しません|行って(?:おり|い)ません|して(?:おり|い)ません)|(?:行|おこな)(?:って(?:おり|い)ません|えません|いません)|(?:サポート|提供|対応|実装|許可|搭載|公開|用意|想定)(?:され|し)て(?:い|おり)(?:ません|ない)|(?:できかね|致しかね|いたしかね)|承っ(?:て)?(?:おり|い)ません|いたしません|できないように|権限(?:が|は)|(?:私|当方|こちら|当アシスタント|ai)(?:には|では|の(?:ほう|方)で(?:は)?|から(?:は)?)[^。]{0,40}(?:ません|ない|かね)",
    },
    # Something is not possible or not there, whoever is asked.
    "impossible": {
        "en": r"\b(?:(?:is|are|was|were|it['’]s|that['’]s|['’]s) (?:\w+ )?(?:not|no longer) (?:\w+ )?(?:possible|supported|available|permitted|allowed|refundable|offered|provided)|impossible|confidential|no ?(?:body|one) (?:can|knows)\b|only (?:\w+ ){1,4}(?:can|may|are allowed)\b|\bwe (?:do not|don['’]t|never)\b|(?:isn['’]t|aren['’]t|wasn['’]t) (?:\w+ )?(?:possible|supported|available|permitted|allowed)|can(?:not|['’]t) be (?:\w+ed|done|undone|sent|made|given|taken)|not (?:currently )?(?:supported|available))\b",
        "de": r"\bnicht (?:mehr |direkt |online |nachträglich |erneut )?(?:möglich|verfügbar|erlaubt|gestattet|zulässig|vorgesehen|unterstützt|erstattungsfähig|durchführbar|machbar)|\bunmöglich|\b(?:vertraulich|geheim)\b|\b(?:kennt|weiß|kann|darf)\b[^.!?;]{0,20}\bniemand|\b(?:niemand|keiner) (?:kann|darf|weiß|kennt)|\b(?:dürfen|können|darf|kann) (?:nur|ausschließlich|allein)\b|\b\w+en wir\b[^.!?;]{0,50}\b(?:nicht|keine?n?)\b|\bwir (?!haben|finden|brauchen|benötigen)\w+en\b[^.!?;]{0,50}\b(?:nicht|keine?n?)\b|\bausgeschlossen\b|\b(?:untersagt|verboten|abgelehnt)\b|\bwerden\b[^.!?;]{0,70}\bnicht\b|\bunzulässig|\bkann (?:\w+ ){0,5}?nicht (?:mehr )?(?:\w+ )?(?:werden|storniert|geändert|erstattet)|\bgeht (?:\w+ )?nicht\b|\b(?:lässt|lassen) sich[^.!?;]{0,50}\bnicht\b|\bnicht (?:\w+ ){0,2}(?:werden)\b",
        "es": r"\bno (?:es|está|será|resulta|sería|fue) (?:\w+ )?(?:posible|permitid[oa]|disponible|factible|viable|compatible|reembolsable)|\bno se (?:puede|pueden|permite|permiten|admite|admiten|ofrece|puede)\b|\bimposible\b|\bconfidencial(?:es)?\b|\bnadie (?:puede|sabe|conoce)|\b(?:solo|sólo|únicamente) (?:\w+ ){1,4}(?:puede|pueden|está|están autoriz)|\bno (?!hemos|tenemos|encontramos|necesitamos)(?:le |te |lo |la |se )?\w+(?:amos|emos|imos)\b|\bno (?:está|están) (?:disponibles?|permitid\w+|autorizad\w+)|\b(?:descartad|prohibid|denegad|vetad|excluid)[oa]s?\b|\bno existe (?:la|esa|ninguna) (?:opción|posibilidad|función)",
        "ko": r"(?:님|인|사|자|원|관|인만|본인)만 [^.!?]{0,14}(?:수 ?있|가능)|(?:누구도|아무도)[^.!?]{0,20}(?:없|못)|기밀|(?:대상|범위)에서 ?제외|금지(?:되|돼|입)|불가(?:능)?(?:합니다|해요|하며|하여|한|입니다)|(?:할|될|받을|쓸|살|낼) ?수(?:는|가|도)? ?없|안 ?(?:됩니다|돼요|되며|되어)|되지 ?않(?!았|은)|지 ?못합니다|지 ?못해요|허용되지|수 ?없습니다|수 ?없어요|어렵습니다|어려워요|어려울",
        "ja": r"(?:無理(?:です|かと|な|で)|機密|対象外|非公開|[えけせてねべめれげ]ない(?:ん|の(?:です|で)|です|ため|ので|。|$)|誰にも[^。]{0,12}(?:ません|ない)|認められて(?:い|おり)ません|不可能|不可|[えけせてねべめれげ]ません|できません|できない|できかね|お受け|いただけません|頂けません|認められ(?:て)?(?:い|お)?ません|お断り|ご遠慮|利用できません|難しい(?:です|状況|か)|かないません|禁止)",
    },
    # Looked, and there was nothing: that is an answer.
    "unfound": {
        "en": r"\b(?:can(?:not|['’]t)|could(?:n['’]t| not)|did(?:n['’]t| not)|do(?:n['’]t| not)|unable to|wasn['’]t able to|not able to|was unable to) (?:seem to )?(?:find|see|locate|turn up)\b|\bfound (?:no|nothing)\b|\bno (?:\w+ ){0,3}(?:found|match\w*|results?|available)\b|\bthere(?: (?:are|is|were|was|seems? to be)|['’]s) no(?:thing)?\b|\b(?:have|see|has|shows) no (?!access|way|permission|abilit|tool|means|authority|idea|function|right)|\bnothing is (?:in|on|at|there)\b|\bnothing (?:found|matches)",
        "de": r"\b(?:nichts|keine?n?\b[^.!?;]{0,60}|nicht) (?:gefunden|finden|vorhanden|entdecken|ermittelt|ermitteln)\b|\bgibt es (?:\w+ ){0,5}?(?:nicht|keine?n?|nichts)|\bes gibt (?:\w+ ){0,4}?(?:nicht|keine?n?|nichts)|\bliegt (?:\w+ ){0,3}?(?:nicht|keine?) vor|\bkeine (?:treffer|ergebnisse)",
        "es": r"\bno (?:se )?(?:he|hemos|ha|han|puedo|pude|pudimos|logré|logro|consigo|conseguí)? ?(?:\w+ )?(?:encontr\w+|hall\w+|localiz\w+|encuentro|existen?|hay(?! (?:forma|manera|modo|posibilidad))|aparece\w*|consta\w*)\b",
        "ko": r"찾을 ?수(?:가|는)? ?없|찾지 ?못|검색되지|조회되지|검색 ?결과가 ?없|결과가 ?없|존재하지|발견되지|없는 ?것으로|해당(?:하는|되는)?[^.!?]{0,20}없",
        "ja": r"(?:見つか|見当た|みつか)り?ませ|見つからな|該当(?:する|の)[^。]{0,20}(?:ありません|ございません|なし|存在し)|(?:結果|記録|登録|予約)(?:が|は)(?:ありません|ございません|なし)|存在し(?:ません|ない)",
    },
    "without": {
        "en": r"\b(?:without (?:the|your|a|an|more|knowing|further|additional|that|this|it|some|any)|until (?:i|you|we)|unless you|not enough (?:information|details)|enough (?:information|details)|more (?:information|details|context))\b",
        "de": r"\b(?:vorher|zuvor) (?:kann|können|geht|ist)\b|\bohne (?:die|den|das|ihre?n?|deine?n?|eine?n?|weitere|genaue|diese|nähere|angabe|weitere)\b|\berst,? (?:wenn|nachdem|sobald)|\bnoch nicht\b[^.!?;]{0,40}\b(?:ob|welche|wann)\b",
        "es": r"\bsin (?:el|la|los|las|su|tu|más|saber|conocer|un|una|esa|ese|esos|dichos?)\b|\bhasta que\b",
        "ko": r"(?:없이는|없으면|알지 ?못하면|모르면|모르겠|불분명|명확하지|정보만으로|만으로는)",
        "ja": r"(?:(?<!権限)(?<!機能)(?<!アクセス権)(?<!アクセス)(?<!手段)(?<!ツール)がない(?:と|ため|場合)|なしでは|なければ|ないことには|だけでは|のみでは|わからない(?:と|ため)|分からない(?:と|ため)|がございませんと)",
    },
    # The matter goes to a person: it is given to one, or one will see to it.
    "handover": {
        "en": rf"\b{_GIVES['en']}\b[^.!?]{{0,60}}\b(?:{_HUMANS['en']}|over|higher)\b|\b(?:escalated|escalating|escalate) (?:this|your|the|it)\b|\b(?:transferring|connecting|transfer|connect) you\b|"
        rf"\b{_HUMANS['en']}\b(?! (?:who|that|which)\b)[^.!?]{{0,40}}\b(?:will|is going to|has been|have been|can)\b[^.!?]{{0,40}}\b(?:pick|take|get back|contact|reach|follow|handle|help|call|be in touch|notified|look|finish|assist|review|investigate|respond|e-?mail|informed|alerted|asked)",
        "de": rf"weitergeleitet|weitergegeben|weitergereicht|weiterverbunden|weitervermittelt|\bübergeben\b|\bübergebe\b|eskalier|\b{_GIVES['de']}\b[^.!?]{{0,80}}\b(?:weiter|durch|{_HUMANS['de']})\b|\b{_HUMANS['de']}\b[^.!?]{{0,60}}\b(?:{_TAKES_DE}|{_GIVES['de']})\b|"
        rf"\b(?:meldet|melden|kümmert|kümmern|setzt|setzen|ruft|rufen|kontaktiert|erhalten|übernimmt|prüft|bearbeitet)\b[^.!?]{{0,40}}\b{_HUMANS['de']}\b|\b(?:liegt|ist|befindet sich) (?:ab )?(?:jetzt|nun|bereits|damit|inzwischen|sofort)(?: schon)? (?:bei|beim|in)\b|\b(?:fall|anfrage|anliegen|antrag|vorgang|meldung|beschwerde|hinweis|ticket|auftrag)\b[^.!?]{{0,30}}\b(?:liegt|geht|ging|gehört|landet|wurde dort|wird dort|ist dort)\b|\bhören (?:sie|du) von\b|\b(?:werden|wirst|werde) (?:sie |du )?(?:\w+ ){{0,5}}(?:kontaktiert|angerufen|zurückgerufen)\b|\b(?:ruft|wir rufen) (?:sie|dich)\b[^.!?]{{0,40}}\b(?:an|zurück)\b|\bmeldet sich (?:\w+ ){{0,4}}bei (?:ihnen|dir)\b|\bman (?:meldet|wird) sich\b|\bwir melden uns\b|\b(?:ticket|rückruf)\b[^.!?]{{0,40}}\b(?:erstellt|eröffnet|angelegt|veranlasst|eingeplant)\b|\bziehe\b[^.!?]{{0,60}}\bhinzu\b|\bschalte\b[^.!?]{{0,60}}\bein\b",
        "es": rf"\b{_GIVES['es']}\b[^.!?]{{0,80}}\b(?:{_HUMANS['es']}|(?:su|tu|el|este|la|esta) (?:caso|consulta|solicitud|incidencia|queja|petición|reclamación))\b|\b(?:le|te|lo|la|os|les) (?:paso|comunico|conecto|pongo en contacto|pondré en contacto|pasaré|comunicaré|conectaré|transfiero|transferiré|derivo|derivaré|voy a (?:pasar|comunicar|conectar|transferir|poner en contacto|derivar))\b|"
        rf"\b{_HUMANS['es']}\b[^.!?]{{0,60}}\b(?:\w+(?:rá|rán)|se está uniendo|está en camino|va en camino|ha salido|avisad[oa]|informad[oa]|notificad[oa]|alertad[oa]|continúa|retoma|se encarga|se ocupa|se hace cargo)\b|\b(?:le|te|lo|la|se|nos)(?: \w+)? \w+(?:rá|rán)\b[^.!?]{{0,40}}\b{_HUMANS['es']}\b|\b(?:caso|consulta|solicitud|incidencia|queja)\b[^.!?]{{0,30}}\b(?:derivad|escalad|remitid|trasladad|transferid|asignad|elevad)\w*|\b(?:le|te|se|lo|la)(?: \w+)? (?:llamar|contactar|responder|atender|avisar|escribir|comunicar|pondr)\w*án\b|\b(?:caso|consulta|solicitud|incidencia|queja|reclamación|petición|aviso|expediente|asunto)\b[^.!?]{0, 30}\b(?:pasa|pasó|pasará|está (?:ya )?con|lo tiene|la tiene|lo lleva|la lleva)\b|\b(?:ella|él) (?:le|te) \w+|\btienen? (?:ya )?(?:su|tu) (?:caso|consulta|solicitud|incidencia|queja|reclamación|petición|aviso|expediente)\b|\brecibirá[s]? (?:una|la|su) llamada\b|\b(?:se|le|te) (?:pondrá|pondrán) en contacto\b|\b(?:le|te) (?:contactará|llamará|llama|escribirá|responderá|atenderá|atiende)\b|\ben manos del?\b|\bnos (?:pondremos|comunicaremos) (?:en contacto )?con\b",
        "fr": r"\b(?:collègue|équipe|conseill(?:er|ère)|responsable|spécialiste|technicien)\b|transmis|transféré|escaladé|confié",
        "pt": r"\b(?:atendente|colega|equipe|equipa|responsável|especialista)\b|encaminh|transferid|escalad",
        "it": r"\b(?:collega|operatore|responsabile|squadra|team|specialista)\b|inoltrat|trasferit|passat[oa] a",
        "nl": r"\b(?:collega|medewerker|team|specialist)\b|doorgestuurd|doorgegeven|overgedragen|geëscaleerd",
        "ko": rf"{_HUMANS['ko']}[^.!?]{{0,36}}{_GIVES['ko']}|에스컬레이션|이관(?:했|하|해|드|합|되|됐)|인계(?:했|하|해|드|합|되|됐)|(?:후|까지|내로|내에|이내|곧|빠르게|다시|별도로) ?(?:다시 |개별 )?(?:연락|회신|전화|답변) ?(?:을 ?)?(?:드리|드릴)|(?:연락|전화|회신)(?:이|가|을|를)? ?(?:드릴|갈|올|받으실|해 ?줄) ?(?:거|겁|예정|것|게|수)",
        "ja": rf"{_HUMANS['ja']}[^。！？]{{0,36}}{_GIVES['ja']}|エスカレーション|エスカレート|引き継(?:ぎ|が|い)|お?取り次ぎ|(?:お繋ぎ|おつなぎ)|(?:追って|折り返し|後ほど|のちほど|改めて|あらためて)[^。]{{0,8}}(?:ご)?(?:連絡|電話|回答)",
        "zh": r"人工|客服|同事|转交|轉交|转接|专员|工作人员|负责人|团队|管理员",
    },
    # The user is sent elsewhere.
    "redirect": {
        "en": r"\b(?:(?:please|you (?:can|could|may|might|should|will need to)|i (?:would )?(?:recommend|suggest|advise|encourage)|try|it['’]s best to|consider|best)\b[^.!?]{0,40}\b(?:contact|contacting|call|calling|visit|visiting|check|checking|consult|consulting|use|using|reach out|reaching out|refer|search|searching|look|follow|speak|ask|asking|log in|go to|try|trying)|(?:contact|call|visit|check|consult|reach out to) (?:the|your|our|a|their|customer))\b",
        "de": r"\b(?:(?:wenden|richten) sie sich|wende dich|bitte (?:kontaktieren|besuchen|nutzen|verwenden|prüfen|rufen|schauen|informieren|konsultieren|nutze|kontaktiere|prüfe|schau|ruf|besuche|verwende)|(?:ich )?(?:empfehle|rate|würde (?:ihnen |dir )?(?:empfehlen|raten))|am besten|kontaktieren sie|nutzen sie|besuchen sie|(?:sie|du) (?:können|könnten|kannst|sollten|solltest)|schauen sie|rufen sie|prüfen sie|versuchen sie)\b",
        "es": r"\b(?:(?:por favor,? )?(?:contacte|contacta|póngase en contacto|ponte en contacto|consulte|consulta|visite|visita|utilice|utiliza|use|usa|llame|llama|diríjase|dirígete|acuda|acude|revise|revisa|verifique|verifica|acceda|accede|comuníquese|comunícate|pruebe|prueba|busque|busca)\b|le recomiendo|te recomiendo|le sugiero|te sugiero|le aconsejo|te aconsejo|recomiendo|sugiero|lo mejor (?:es|sería)|puede[s]? (?:consultar|contactar|llamar|visitar|usar|utilizar|acudir|revisar|comprobar|hacerlo|buscar|verificar|intentar|probar)|debe(?:ría|s|rías)? (?:contactar|consultar|llamar|acudir|dirigirse|hacerlo))",
        "ko": r"(?:에|에서|으?로|을|를|께|에게|통해|직접|앱|홈페이지|사이트) ?(?:직접 |먼저 |다시 )?(?:문의|확인|이용|방문|연락|검색|참고|신청|접속|조회|상담|사용|요청|전화)(?:해|하|하여|하셔|하시|을|를)? ?(?:주세요|주십시오|주시기|보세요|보시기|보시는|보시길|시기|시길|시면|실 수|는 ?것이|부탁|바랍|하시는|주시면|권)|추천(?:드립|합|해)|권장(?:드립|합)|권해|하시는 ?것(?:이|을) ?(?:좋|추천|권)|이용해 ?(?:보|주)|방문해 ?주|문의해 ?주|문의하시|참고해 ?주|참고하",
        "ja": r"(?:お問い合わせ|お問合せ|ご相談|ご利用|ご覧|お電話(?!番号)|ご確認|ご参照|ご検討|お試し|アクセス(?:して)?|検索して|お申し込み|ご連絡|お尋ね|お求め|お手続き|ご使用|ご自身|直接)(?:(?!番号|知らせ|教え)[^。]){0,12}(?:ください|下さい|いただ(?!け(?:ます|る))|頂(?!け(?:ます|る))|お願い|ますよう|をおすすめ|をお勧め)|おすすめ(?:いた|し)|お勧め(?:いた|し)|をご(?:利用|確認|覧|参照|検討)|推奨(?:いた|し)",
    },
    "contrast": {
        "en": r"\b(?:but|however|though|although|that said|still|nevertheless|instead|meanwhile)\b",
        "de": r"\b(?:aber|jedoch|allerdings|dennoch|trotzdem|doch|hingegen|stattdessen|sondern)\b",
        "es": r"\b(?:pero|sin embargo|no obstante|aunque|en cambio|sino que|eso sí)\b",
        "ko": r"(?:지만|으나|(?<=[가-힣])나,|다만|하지만|그러나|그렇지만|대신)(?=[, ])|는데요?,",
        "ja": r"(?:ですが|ますが|ましたが|ませんが|ございますが|ありますが|ただし|しかし|なお|代わりに|けれども|ものの)、?",
    },
    # What follows is not done yet: it hangs on the user's word.
    "condition": {
        "en": r"\b(?:if|in case|should you|once|unless|recommend|suggest|advise|(?:would|may|might|will) (?:need|have) to|you(?:['’]ll| will)? need to|you may|you might|would you|shall i|should i|can i|could i|do you|may i|want me|i can|i could|you can|you could|you may|please|after you|before)\b",
        "de": r"\b(?:wenn|falls|sofern|soll ich|sollen wir|möchten sie|möchtest du|kann ich|könnte|wollen sie|wünschen|sobald|bevor|bitte (?:wenden|kontaktieren|rufen|melden)|darf ich|auf wunsch|gerne? kann|ich kann|sie können|wenden)\b",
        "es": r"\b(?:si|cuando|en caso|desea|deseas|quiere|quieres|puedo|podría|podría|prefiere|prefieres|le gustaría|te gustaría|antes de|puede|puedes|por favor|una vez|contacte|consulte)\b",
        "ko": r"(?:시면|하면|으면|신다면|한다면|경우(?:에|,|엔)|전에|원하시)",
        "ja": r"(?:場合|たら|れば|前に|ご希望|必要なら)",
    },
    # After the verb: the hand-over is offered, possible, or the user's to make.
    "pending": {
        "ko": r"(?:릴까요|할까요|가능|것이|것을|좋습|좋겠|권|바라|있습니다만|주세요|주시기|주십시오|바랍니다|하시기|하세요|보세요|시면|하면|으면|수 ?있|시겠|원하)",
        "ja": r"(?:ましょうか|すすめ|勧め|推奨|ください|下さい|でしょうか|(?<!せて)いただ(?:け|き|く)|可能|できます|場合|れば|たら|ますか)",
    },
    # More is there for who wants it.
    "if_liked": {
        "en": r"\b(?:if|in case|should) you(?:['’]d| would|['’]re| are)? (?:\w+ )?(?:like|want|wish|prefer|need|decide|change|interested)\b",
        "de": r"\b(?:wenn|falls|sofern) (?:sie|du) (?:\w+ ){0,3}(?:möchten|wollen|wünschen|möchtest|willst|magst|mögen|brauchen|brauchst)|\bbei (?:bedarf|interesse)|\bauf wunsch|\bbescheid\b",
        "es": r"\bsi (?:lo |la |me |usted )?(?:desea|deseas|quiere|quieres|prefiere|prefieres|gusta|necesita|necesitas|le interesa|te interesa)\b",
        "ko": r"(?:원하시|원하신다|희망하시|필요하시|괜찮으시|관심 ?있으시|싶으시)(?:면|다면)|원하(?:면|실 ?경우)",
        "ja": r"(?:ご希望|必要|ご入用|ご興味|お望み)[^。、]{0,8}(?:場合|たら|れば|なら)|よろしければ",
    },
    "human": {language: rf"{words}" for language, words in _HUMANS.items()},
    "open_question": {
        "en": r"\b(?:what|which|when|where|who|whom|whose|how|why)\b|\bor\b[^?]*\?",
        "de": r"\b(?:was|welche[rsnm]?|wann|wo|wohin|woher|wer|wen|wem|wessen|wie|wieviele?|warum|wofür|womit|worauf|worum|worüber)\b|\boder\b[^?]*\?",
        "es": r"¿[^?]*\b(?:qué|cuál|cuáles|cuándo|cuánd|dónde|adónde|quién|quiénes|cómo|cuánt[oa]s?|por qué)\b|\b(?:qué|cuál|cuáles|cuándo|dónde|quién|cómo|cuánt[oa]s?)\b[^?]*\?|¿[^?]*\b(?:o|u)\b[^?]*\?",
        "ko": r"어느|어떤|무슨|무엇|뭐|뭘|몇|언제|어디|누구|누가|얼마|어떻게|왜|아니면|혹은|또는|중 ?(?:어|무|에서)",
        "ja": r"どの|どちら|どれ|何|いつ|どこ|誰|どなた|いくつ|いくら|どう|なぜ|それとも|または|もしくは",
        "zh": r"什么|哪|何时|谁|多少|几|怎么",
    },
    "question": {
        "ko": r"(?:까요|나요|[은는인던한]가요|습니까|십니까|입니까|는지요|을래요|실래요|은지요|시겠어요)\s*[.!~]?\s*$",
        "ja": r"(?:ます|です|でしょう|ません|ました|ましょう)か\s*[。.]?\s*$",
        "zh": r"吗\s*[。]?\s*$",
    },
    # A statement that denies something, in whatever way.
    "negation": {
        "en": r"\b(?:not|no|never|none|nobody|nothing|neither|nor)\b|n['’]t\b",
        "de": r"\b(?:nein|nicht|keine?[nrms]?|nie|niemals|niemand|nichts|weder)\b|\bausgeschlossen\b",
        "es": r"\b(?:no|nunca|jamás|nadie|ningun[oa]?|ningún|tampoco|ni)\b",
        "ko": r"없|않|못|제외|금지|아닙|아니|불가|어렵|안 ",
        "ja": r"ません|ない|なく|不可|できかね",
    },
    # The user is told to do something. Alone it wants that of him; where a way was asked for it is the answer.
    "instruction": {
        "en": r"\A\W*please \w+",
        "de": r"\A\W*(?:bitte )?\w+en sie\b|\A\W*bitte \w+",
        "es": r"\A\W*(?:por favor,? |primero,? |antes,? |ahora,? )?(?:pegue|pega|escriba|escribe|ponga|introduzca|introduce|adjunte|adjunta|suba|sube|copie|copia|rellene|complete|marque|añada|describa)\b|\bpor favor\b",
        "ko": r"(?:아|어|여|해|워|려|내|줘|붙여|넣어) ?(?:주세요|주시면|주십시오|주시기)",
        "ja": r"[てで](?:ください|下さい)",
    },
    # The request: does it want something done, something known, a text written, something sent, a person?
    "act_request": {
        "en": r"\b(?:book|cancel|order|buy|purchase|send|delete|remove|change|update|set|turn|switch|play|transfer|pay|reserve|schedule|create|add|move|start|stop|open|close|refund|return|exchange|renew|rename|reschedule|upgrade|block|unblock|activate|deactivate|register|sign (?:me )?up|unsubscribe|stop|reset|make|extend|waive|give me|issue|file|submit|charge|ship|print|install|run|execute|restart|remind|merge|archive|share|invite|call|e-?mail|text|raise|lower|approve|grant|lock|unlock)\b",
        "de": r"\b(?:buch\w*|stornier\w*|bestell\w*|kauf\w*|schick\w*|send\w*|lösch\w*|entfern\w*|änder\w*|aktualisier\w*|stell\w*|schalt\w*|spiel\w*|überweis\w*|zahl\w*|bezahl\w*|reservier\w*|plan\w*|erstell\w*|füg\w*|leg\w*|verschieb\w*|start\w*|stopp\w*|öffn\w*|schließ\w*|erstatt\w*|umtausch\w*|verläng\w*|kündig\w*|sperr\w*|entsperr\w*|aktivier\w*|registrier\w*|meld\w*|mach\w*|trag\w*|setz\w*|erinner\w*|druck\w*|umbuch\w*|gutschreib\w*|erlass\w*|rück\w*|tausch\w*|abbestell\w*|erhöh\w*|senk\w*|freischalt\w*|ruf\w*)\b",
        "es": r"\b(?:reserv\w+|cancel\w+|pid\w+|pedir\w*|compr\w+|envi\w+|envía\w*|mand\w+|borr\w+|elimin\w+|quit\w+|cambi\w+|actualiz\w+|pon\b|ponme|poner\w*|enciend\w+|apag\w+|reproduc\w+|transfier\w+|transferir\w*|pag\w+|program\w+|cre[ae]\w*|añad\w+|agreg\w+|muev\w+|mover\w*|inici\w+|par[ae]\w*|abr\w+|cierr\w+|cerrar\w*|reembols\w+|devolv\w+|devuelv\w+|renov\w+|renuev\w+|bloque\w+|desbloque\w+|activ\w+|registr\w+|apunt\w+|anul\w+|hazme|haz|recuérd\w+|imprim\w+|modific\w+|ampli\w+|suscrib\w+|llam[ae]\w*|sub[ie]\w*|baj[ae]\w*|gestion\w+|tramit\w+|dame de baja|darme de baja)\b",
        "ko": r"(?:예약|취소|주문|구매|결제|전송|발송|보내|삭제|지워|변경|바꿔|바꾸|수정|설정|켜|꺼|틀어|재생|이체|송금|입금|추가|등록|생성|만들|이동|옮겨|시작|중지|멈춰|열어|닫아|환불|반품|교환|연장|해지|정지|잠금|해제|활성|신청|알림|맞춰|출력|인쇄|업그레이드|면제|올려|내려|초대|전화해|처리)[^?.!]{0,14}(?:줘|주세요|주십시오|주실|주시겠|줄래|부탁|해라|하고 ?싶|할래|해요|달라|바랍|싶어|싶습|싶은)",
        "ja": r"(?:予約|キャンセル|取り消|注文|購入|買|送|削除|消して|変更|変え|更新|設定|つけて|消し|再生|振り込|振込|送金|支払|追加|登録|作成|作って|移動|開始|停止|止めて|開け|閉め|返金|返品|交換|延長|解約|退会|解除|有効|申し込|リマインド|印刷|アップグレード|免除|上げ|下げ|招待|電話|手続|処理|かけて|流して)[^。？！]{0,16}(?:て|ください|お願い|ほしい|欲しい|もらえ|くれ|たい|頼)",
    },
    # Something is asked as a favour; unless it is to be told or looked up, that is a deed.
    "favour": {
        "en": r"\b(?:can|could|would|will) you\b|\bplease\b|\bgive me\b|\bi(?:['’]d| would)? (?:want|like|need)\b",
        "de": r"\b(?:kannst|könntest|können|könnten|würdest|würden) (?:du|sie|ihr)\b|\bbitte\b|\bgib mir\b|\bgeben sie mir\b|\bich (?:will|möchte|brauche|hätte|benötige)\b",
        "es": r"\b(?:puedes|puede|podrías?|podés)\b|\bpor favor\b|\bdame\b|\bdeme\b|\A\W*\w*[áéíóú]\w*(?:me|nos|melo|lo|la|los|las)\b|\b(?:quiero|quisiera|necesito)\b",
        "ko": r"(?:해|어|아|려|내|워|꿔|와|여|춰|켜|꺼|줘) ?(?:줘|주세요|주실|주면|줄 ?수|줄래|주시|주십|달라)|(?:싶어|싶습|싶은|원해|원합|할래|할게요)",
        "ja": r"[てで](?:くれ|もらえ|ください|下さい|ほしい|欲しい|いただけ|おいて)|たい(?:です|の|ん|$|。)",
    },
    "status_request": {
        "en": r"\b(?:what happened (?:to|with)|what about (?:my|the)|how did|what became|any (?:news|update)|status|yet\?)",
        "de": r"\bwas ist (?:\w+ ){0,3}mit\b|\bwie (?:steht|sieht) es\b|\bwas (?:wurde|ist) aus\b|\bgibt es (?:schon )?(?:was )?neue[sr]?\b|\bstatus\b|\bstand\b",
        "es": r"\bqué (?:pasó|pasa|hay|ha pasado|fue) (?:con|de)\b|\ben qué (?:quedó|quedo|va|está)\b|\bcómo (?:va|quedó|está|sigue)\b|\bnovedades\b|\bestado\b",
        "ko": r"어떻게 ?(?:됐|되었|되고|돼|진행)|진행 ?상황|상태|결과",
        "ja": r"どうなり|どうなって|どうなった|状況|進捗|結果",
    },
    "lookup_request": {
        "en": r"\b(?:tell|find|show|provide|get|retrieve|view|fetch|calculate|convert|read|check|search|look|list|recommend|suggest|explain|describe|what|which|when|where|who|how|status)\b",
        "de": r"\b(?:sag\w*|nenn\w*|finde|such\w*|zeig\w*|prüf\w*|schau\w*|liste|empfiehl|empfehl\w*|erklär\w*|beschreib\w*|status|wann|wo|was|wie|welche\w*)\b",
        "es": r"\b(?:dime|dígame|busca\w*|encuentra|encuéntr\w+|muestra|muéstr\w+|revisa|comprueba|consulta|lista|recomiend\w+|recomiénd\w+|explica|estado|qué|cuándo|dónde|cómo)\b",
        "ko": r"알려|찾아|보여|확인|검색|조회|추천|설명|말해|상태|뭐|언제|어디|얼마|몇",
        "ja": r"教え|探し|見せ|確認|検索|調べ|おすすめ|説明|状況|何|いつ|どこ|いくら",
    },
    "fact_request": {
        "en": r"\A\W*(?:hi|hello|hey|please)?\W*(?:what|which|when|where|who|whose|how|why|is|are|was|were|does|do|did|will|has|have|can i|may i|could i|am i|can (?:the|my|a|an|it|they|one|we|people|guests|children|dogs?|pets)|should i)\b|\bwondering\b",
        "de": r"\A\W*(?:hallo|guten tag|hi|hey)?\W*(?:was|welche\w*|wann|wo|wohin|woher|wer|wie|warum|wieso|wozu|ist|sind|war|hat|haben|gibt|darf|dürfen|muss|kann ich|können wir|kostet|gilt|bietet|wird|werden|habe ich|bin ich|um wie|ab wann|bis wann|kann man|geht|fährt|steht|hab ich|zu welche\w*|an welche\w*|in welche\w*)\b|\bob\b",
        "es": r"\A\W*(?:hola|buenas|buenos días|oye)?\W*(?:qué|cuál|cuáles|cuándo|dónde|quién|cómo|cuánt\w+|por qué|es|está|están|hay|tiene|tienen|puedo|se puede|tengo|debo|son|a qué|en qué|de qué|hasta|desde|incluye|admiten|aceptan|cuesta|sale|llega|a cuánto)\b|\bsaber si\b",
        "ko": r"(?:나요|가요|까요|인가|습니까|은가요|(?<!줘)(?<!할래)[해돼지니냐어아워](?=\s*[?？])|ㄴ가요|뭐야|뭐예요|무엇|언제|어디|얼마|몇|있어|돼|되나|하나요|어때|어떻게|왜|이야|야)\s*[?？.]?\s*$|궁금",
        "ja": r"(?:ですか|ますか|でしょうか|ますかね|かな|の|だっけ|何時|いつ|どこ|いくら)\s*[?？。]?\s*$|か(?:どうか)?教えて",
    },
    # How to do something, or what is needed for it: there "choose" and "you need" are the answer.
    "way_request": {
        "en": r"\bhow (?:do|can|could|should|would|to|does)\b|\bhow['’]s\b|\b(?:need|needs|require[ds]?|requirements?|steps?|instructions?|documents?)\b",
        "de": r"\bwie (?:kann|könnte|soll|muss|geht|funktioniert|setze|mache|ändere|lösche|finde|entferne|\w+e ich|\w+t man)\b|\b(?:brauch\w*|benötig\w*|voraussetzung\w*|anleitung|schritte?|unterlagen)\b",
        "es": r"\bcómo\b|\b(?:necesit\w+|requisitos?|hace falta|pasos|instrucciones|documentos?|se requiere)\b",
        "ko": r"어떻게|방법|필요|준비물|절차|서류|하려면|하나요",
        "ja": r"どうすれば|どうやって|どうしたら|方法|やり方|必要|手順|書類|には[?？]?\s*$",
    },
    "text_request": {
        "en": r"\b(?:translat\w+|rephras\w+|paraphras\w+|rewrit\w+|proofread|(?:write|draft|compose|create|generate|suggest|give me|list|come up with|make up|formulate|tell) (?:me )?(?:an?|some|the|three|five|ten|two|few|\d+)? ?(?:\w+ ){0,4}(?:e-?mails?|letters?|messages?|questions?|texts?|poems?|jokes?|riddles?|speech|tweets?|quiz|survey|dialogues?|slogans?|captions?|sentences?|scripts?|reply|post|invitations?|toasts?|headlines?|comments?))\b",
        "de": r"\b(?:übersetz\w*|umformulier\w*|formulier\w*|(?:schreib\w*|entwirf|verfass\w*|erstell\w*|schlag\w*|nenn\w*|gib)\b[^.?!]{0,50}\b(?:e-?mail|mail|brief|nachricht|frage[n]?|text|gedicht|witz|rätsel|rede|dialog|satz|sätze|umfrage|quiz|slogan|antwort|einladung|gruß|kommentar|überschrift|rede))\b",
        "es": r"\b(?:traduc\w+|traduzc\w+|reformul\w+|reescrib\w+|(?:escrib\w+|redact\w+|crea|haz|genera|sugiere|propón|dame)\b[^.?!]{0,50}\b(?:correo|carta|mensaje|preguntas?|texto|poema|chiste|acertijo|discurso|diálogo|frase|encuesta|eslogan|respuesta|invitación|felicitación|comentario|titular))\b",
        "ko": r"번역|(?:이메일|메일|편지|메시지|문자|질문|글|시|농담|수수께끼|대화|문장|설문|퀴즈|문구|답장|초안|초대장|인사말|댓글|제목)[^.?!]{0,14}(?:써|작성|만들|지어|뽑아|추천|제안|다듬|고쳐)",
        "ja": r"翻訳|訳して|(?:メール|手紙|メッセージ|質問|文章|文|詩|ジョーク|なぞなぞ|会話|アンケート|クイズ|返信|案|招待状|挨拶|コメント|見出し)[^。？！]{0,14}(?:書い|作成|作っ|考え|提案|直し)",
    },
    "thanks_request": {
        "en": r"\b(?:thanks?|thank you|thx|bye|great|perfect|good night|take care|appreciate)\b",
        "de": r"\b(?:danke|dank|tschüss|wiedersehen|super|prima|alles klar)\b",
        "es": r"\b(?:gracias|adiós|perfecto|genial|vale|hasta luego)\b",
        "ko": r"고마|감사|수고|잘 ?있|안녕히|알겠",
        "ja": r"ありがと|助かり|了解|わかりました|さようなら|失礼します",
    },
    "send_request": {
        "en": r"\b(?:forward|send|pass|hand|notify|inform|alert|escalate|assign|page|route|refer|share|tell|report)\b",
        "de": r"\b(?:leite\w*|weiterleit\w*|schick\w*|send\w*|gib|informier\w*|benachrichtig\w*|eskalier\w*|weise|zuweis\w*|übergib|melde)\b",
        "es": r"\b(?:reenví\w+|reenvi\w+|enví\w+|envi\w+|pasa\w*|notific\w+|avis\w+|escal\w+|asign\w+|deriv\w+|informa\w*|transfier\w+)\b",
        "ko": r"(?:전달|전송|보내|알려|넘겨|배정|공유|보고|이관)[^.?!]{0,8}(?:줘|주세요|주실|부탁|해라)",
        "ja": r"(?:転送|送っ|送信|伝え|共有|割り当て|報告|通知|エスカレ)[^。？！]{0,8}(?:て|ください|お願い)",
    },
    "human_request": {
        "en": r"\b(?:human|real person|someone|agent|representative|manager|supervisor|speak|talk|complain\w*|colleague|operator)\b",
        "de": r"\b(?:mensch\w*|person|jemand\w*|mitarbeiter\w*|kolleg\w*|vorgesetzt\w*|sprechen|beschwer\w*|berater\w*|chef\w*)\b",
        "es": r"\b(?:human[oa]|persona|alguien|agente|supervisor\w*|hablar|queja|reclam\w+|encargad[oa]|operador\w*|asesor\w*)\b",
        "ko": r"상담원|상담사|사람|직원|담당자|책임자|관리자|매니저|불만|민원|항의",
        "ja": r"人間|オペレーター|担当者|責任者|上司|スタッフ|人と|クレーム|苦情",
    },
}


_LATIN: Final = ("en", "de", "es", "fr", "pt", "it", "nl")


def pattern(kind: Kind, languages: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a kind in some languages, for lower-case text; it finds nothing where none has words for it.

    More than two languages are as good as all of a Latin script: so few patterns are made, whatever the texts.
    """
    return _compiled(kind, languages if len(languages) <= 2 else _LATIN)


@lru_cache(maxsize=512)
def _compiled(kind: Kind, languages: tuple[str, ...]) -> re.Pattern[str]:
    table = _WORDS[kind]
    parts = [f"(?:{table[language]})" for language in languages if language in table]
    return re.compile("|".join(parts) or r"(?!)")
