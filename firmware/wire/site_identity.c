/* What an identity shows of the mesh's shape.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/site_identity.h"

#include "protocol.h"

unsigned pr_site_identity_sites(const struct pr_site_identity *identity)
{
    return pr_shape_sites(&identity->shape);
}

uint32_t pr_site_identity_address(const struct pr_site_identity *identity, unsigned site)
{
    return pr_shape_address(&identity->shape, site);
}

unsigned pr_site_identity_site(const struct pr_site_identity *identity, uint32_t site_word)
{
    return pr_shape_site(&identity->shape, site_word);
}

struct pr_site_addresses pr_site_identity_addresses(const struct pr_site_identity *identity)
{
    return pr_shape_addresses(&identity->shape);
}

uint32_t pr_site_identity_mark_bit(const struct pr_site_identity *identity)
{
    return identity->word_width == 32 ? 1u << PR_SITE_MARK_BIT_32 : 1u << PR_SITE_MARK_BIT_16;
}
