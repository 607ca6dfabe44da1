/* currency.c - the codes of ISO 4217.
 *
 * Those in use in 2026, funds and precious metals included, and ANG and BGN, which were replaced in
 * 2025 and 2026 and for which rates are still published. Not XTS (for tests) and XXX (no currency):
 * they have no rate. */
#include "currency.h"

#include <string.h>

static const char codes[] =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN "
    "BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN "
    "ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD "
    "JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT "
    "MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG "
    "QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT "
    "TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU "
    "XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG ";

bool currency_exists(const char *code) {
    /* Each code is three letters and a space, so a hit is a code only at a multiple of four. */
    if (strlen(code) != 3)
        return false;
    for (const char *at = codes; *at != '\0'; at += 4)
        if (memcmp(at, code, 3) == 0)
            return true;
    return false;
}
